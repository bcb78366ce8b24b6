#include "forebay/kernels/linear_algebra/matmul.h"

#include <cblas.h>  // the values of its enumerations

#include <algorithm>
#include <limits>
#include <mutex>

#include "forebay/base/log/log.h"
#include "forebay/kernels/linear_algebra/blas_buffers.h"
#include "forebay/kernels/linear_algebra/blas_library.h"

namespace forebay::kernels {
namespace {

/// Whether it was built with threads, and so supports concurrent callers. Otherwise two of them may get the
/// same buffer and wrong products (OpenBLAS's FAQ; builds with USE_LOCKING are safe, but do not say so).
bool serves_several(const BlasLibrary& blas) {
  if (blas.has_threads) {
    return true;
  }
  log_warning(
      "this OpenBLAS was built for one thread: products of matrices are made one at a time; install one that "
      "was built with threads (Debian: libopenblas0-pthread)");
  return false;
}

/// Held while BLAS is called, if it does not support concurrent callers. Without annotations, because
/// otherwise it holds nothing.
std::unique_lock<std::mutex> take_turn(const BlasLibrary& blas) {
  static std::mutex mutex;
  static const bool is_free = serves_several(blas);
  return is_free ? std::unique_lock<std::mutex>() : std::unique_lock(mutex);
}

int order_of(const Matrix& matrix) {
  return matrix.transposed ? CblasTrans : CblasNoTrans;
}

Matrix moved(Matrix matrix, tensor::DType dtype, int64_t elements) {
  matrix.data =
      static_cast<const std::byte*>(matrix.data) + elements * static_cast<int64_t>(tensor::size_of(dtype));
  return matrix;
}

template <class T>
void fill_zero(T* out, int64_t rows, int64_t columns, int64_t pitch) {
  for (int64_t row = 0; row < rows; ++row) {
    std::fill_n(out + row * pitch, columns, T{0});
  }
}

bool fits_blas(const Matrix& matrix) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  return matrix.rows <= kMost && matrix.columns <= kMost && matrix.pitch <= kMost;
}

template <class T>
void multiply(const BlasLibrary& blas, const Matrix& a, const Matrix& b, T* out, int64_t pitch, bool add) {
  const auto* const left = static_cast<const T*>(a.data);
  const auto* const right = static_cast<const T*>(b.data);
  const auto m = static_cast<int>(a.rows);
  const auto n = static_cast<int>(b.columns);
  const auto k = static_cast<int>(a.columns);
  const auto lda = static_cast<int>(std::max<int64_t>(a.pitch, 1));
  const auto ldb = static_cast<int>(std::max<int64_t>(b.pitch, 1));
  const auto ldc = static_cast<int>(std::max<int64_t>(pitch, 1));
  const T beta = add ? 1 : 0;
  if constexpr (std::is_same_v<T, float>) {
    blas.sgemm(CblasRowMajor, order_of(a), order_of(b), m, n, k, 1, left, lda, right, ldb, beta, out, ldc);
  } else {
    blas.dgemm(CblasRowMajor, order_of(a), order_of(b), m, n, k, 1, left, lda, right, ldb, beta, out, ldc);
  }
}

template <class T>
Status product(const Matrix& a, const Matrix& b, T* out, int64_t pitch, bool add) {
  if (a.columns == 0) {
    if (!add) {
      fill_zero(out, a.rows, b.columns, pitch);
    }
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const BlasLibrary* const blas, blas_library());
  const std::unique_lock<std::mutex> turn = take_turn(*blas);
  return blas_buffers().use([&](int count) { blas->make_buffers(count); },
                            [&] { multiply<T>(*blas, a, b, out, pitch, add); });
}

}  // namespace

Matrix rows_of(const Matrix& matrix, tensor::DType dtype, int64_t first, int64_t last) {
  Matrix part = moved(matrix, dtype, matrix.transposed ? first : first * matrix.pitch);
  part.rows = last - first;
  return part;
}

Matrix columns_of(const Matrix& matrix, tensor::DType dtype, int64_t first, int64_t last) {
  Matrix part = moved(matrix, dtype, matrix.transposed ? first * matrix.pitch : first);
  part.columns = last - first;
  return part;
}

Status matmul(tensor::DType dtype, const Matrix& a, const Matrix& b, void* out, int64_t pitch, bool add) {
  if (a.columns != b.rows || !fits_blas(a) || !fits_blas(b)) {
    return invalid_argument("matrices of {}x{} and {}x{} cannot be multiplied", a.rows, a.columns, b.rows,
                            b.columns);
  }
  if (a.rows == 0 || b.columns == 0) {
    return ok_status();
  }
  if (dtype == tensor::DType::kFloat) {
    return product(a, b, static_cast<float*>(out), pitch, add);
  }
  if (dtype == tensor::DType::kFloat64) {
    return product(a, b, static_cast<double*>(out), pitch, add);
  }
  return invalid_argument("products need float or float64, not {}", tensor::name_of(dtype));
}

}  // namespace forebay::kernels
