// Joins several arrays into one.
#pragma once

#include <span>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Joins along an axis; all must have the same type and equal extents on the other axes.
Result<Array> concatenate(std::span<const Array> arrays, int axis);

}  // namespace forebay::ndarray
