// Reductions over axes.
#pragma once

#include <span>

#include "forebay/kernels/reduce/reduce.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

using kernels::Reduction;

struct ReduceOptions {
  absl::InlinedVector<int, 4> axes;  // empty: all; negative ones count from the end
  bool keep_axes = false;            // keep reduced axes with extent 1
  bool exclude = false;              // reduce all axes except the named ones
};

/// A reduction to a single number has shape (1,), as in MXNet. If the maximum or minimum occurs several
/// times, each occurrence gets the whole gradient, as in MXNet. invalid_argument for axes that do not exist;
/// arg reductions take one axis or none.
Result<Array> reduce(Reduction reduction, const Array& array, const ReduceOptions& options = {});

/// The square root of the sum of squares (`order` 2) or the sum of absolute values (1), in the array's type:
/// truncated for integers, as in MXNet.
Result<Array> norm(const Array& array, int order, const ReduceOptions& options = {});

}  // namespace forebay::ndarray
