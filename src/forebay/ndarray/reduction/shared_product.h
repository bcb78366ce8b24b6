// One product of matrices on all idle workers. Internal to ndarray.
#pragma once

#include "forebay/kernels/linear_algebra/matmul.h"

namespace forebay::ndarray {

/// Memory as a matrix: `rows` x `columns` there; as it counts the other way round where `transposed`.
kernels::Matrix matrix_of(const void* data, int64_t rows, int64_t columns, bool transposed);

/// out = a b (+ out if `add`). How it is cut among workers depends on the shape alone.
Status shared_product(tensor::DType dtype, const kernels::Matrix& a, const kernels::Matrix& b, void* out,
                      int64_t pitch, bool add = false);

}  // namespace forebay::ndarray
