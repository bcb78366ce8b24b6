// Broadcasting, and the sums that are its gradient.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Sums what broadcasting from `shape` to the array's shape has repeated.
Result<Array> sum_to(const Array& array, const tensor::Shape& shape);

/// Repeats along axes of extent 1, and leading axes that are missing.
Result<Array> broadcast_to(const Array& array, const tensor::Shape& shape);

}  // namespace forebay::ndarray
