// Sorting along an axis, and running sums.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// The indices (int64) of the first `k` elements of each line along the axis, in sorted order; stable, NaN
/// last. Not differentiable; take_along_axis() gives the elements.
Result<Array> order(const Array& array, int axis, int64_t k, bool ascending);

/// The elements of each line along the axis in sorted order, -0 before 0 when ascending, NaN last. Which of
/// several equal elements comes first only matters for the gradient: the first of them does.
Result<Array> sort(const Array& array, int axis, bool ascending);

/// Each element plus all before it along the axis.
Result<Array> cumulative_sum(const Array& array, int axis);

}  // namespace forebay::ndarray
