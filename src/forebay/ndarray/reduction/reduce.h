// Reductions over axes.
#pragma once

#include <span>

#include "forebay/kernels/reduce/reduce.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

using kernels::Reduction;

struct ReduceOptions {
  absl::InlinedVector<int, 4> axes;  // empty: all; negative ones count from the end
  bool keep_axes = false;            // leave extents of 1 where axes went
  bool exclude = false;              // reduce all axes but those named
};

/// A reduction to a single number has the shape (1,), as MXNet's. Max and min share their gradient among
/// equals as MXNet does: each gets the whole. invalid_argument for axes that are not there; arg reductions
/// take one axis or none.
Result<Array> reduce(Reduction reduction, const Array& array, const ReduceOptions& options = {});

/// Square root of the sum of squares (`order` 2) or the sum of magnitudes (1), of the array's type: of
/// integers cut off, as MXNet's.
Result<Array> norm(const Array& array, int order, const ReduceOptions& options = {});

}  // namespace forebay::ndarray
