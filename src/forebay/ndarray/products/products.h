// Products of arrays.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// MXNet's dot: the last axis of `a` with the first of `b` (the first of `a`, the last of `b` if transposed);
/// two vectors give one number. float and float64. One large product uses all idle workers.
Result<Array> dot(const Array& a, const Array& b, bool transpose_a = false, bool transpose_b = false);

/// Products of two batches of matrices: (n, m, k) and (n, k, l) give (n, m, l).
Result<Array> batch_dot(const Array& a, const Array& b, bool transpose_a = false, bool transpose_b = false);

}  // namespace forebay::ndarray
