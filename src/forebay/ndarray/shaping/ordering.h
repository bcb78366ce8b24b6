// Orders along an axis, and running sums.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// The places (int64) of the first `k` elements of each line along the axis, in their order; equal elements
/// in the order in which they lie, NaN behind all. Not differentiable; take_along_axis() gives the elements.
Result<Array> order(const Array& array, int axis, int64_t k, bool ascending);

/// The elements of each line along the axis in their order, NaN behind all; which of equal elements comes
/// first shows in the gradient alone, where order() decides.
Result<Array> sort(const Array& array, int axis, bool ascending);

/// Each element plus all before it along the axis.
Result<Array> cumulative_sum(const Array& array, int axis);

}  // namespace forebay::ndarray
