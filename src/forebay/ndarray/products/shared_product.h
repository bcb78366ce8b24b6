// One matrix product on all idle workers. Internal to ndarray.
#pragma once

#include "forebay/kernels/linear_algebra/matmul.h"

namespace forebay::ndarray {

/// Describes memory as a matrix: `rows` x `columns` in memory, swapped in the product if `transposed`.
kernels::Matrix matrix_of(const void* data, int64_t rows, int64_t columns, bool transposed);

/// out = a b (+ out if `add`). How it is divided among workers depends only on the shape.
Status shared_product(tensor::DType dtype, const kernels::Matrix& a, const kernels::Matrix& b, void* out,
                      int64_t pitch, bool add = false);

}  // namespace forebay::ndarray
