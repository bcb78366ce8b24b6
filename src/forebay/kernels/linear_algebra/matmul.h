// Matrix products by BLAS (OpenBLAS), on the calling thread only: a caller with several threads gives each a
// part.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

/// A row-major matrix, `rows` x `columns` as used in the product; rows in memory are `pitch` elements apart.
/// `transposed`: memory holds columns x rows.
struct Matrix {
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t pitch = 0;
  bool transposed = false;
};

/// The rows [first, last) of a matrix.
Matrix rows_of(const Matrix& matrix, tensor::DType dtype, int64_t first, int64_t last);
Matrix columns_of(const Matrix& matrix, tensor::DType dtype, int64_t first, int64_t last);

/// out[a.rows, b.columns] = a b (+ out if `add`), in float or float64; rows of `out` are `pitch` elements
/// apart. invalid_argument for other types, or if a.columns != b.rows; failed_precondition without OpenBLAS.
Status matmul(tensor::DType dtype, const Matrix& a, const Matrix& b, void* out, int64_t pitch,
              bool add = false);

}  // namespace forebay::kernels
