// Broadcasting, and its gradient, which is a sum.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Sums over what broadcasting from `shape` to the array's shape repeats.
Result<Array> sum_to(const Array& array, const tensor::Shape& shape);

/// Repeats along axes of extent 1 and along missing leading axes.
Result<Array> broadcast_to(const Array& array, const tensor::Shape& shape);

}  // namespace forebay::ndarray
