// Several arrays as one.
#pragma once

#include <span>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Joins along an axis; all of one type and of equal extents elsewhere.
Result<Array> concatenate(std::span<const Array> arrays, int axis);

}  // namespace forebay::ndarray
