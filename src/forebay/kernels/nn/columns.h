// Statistics of the columns of a matrix and operations with them, for channels on the last axis, which have
// no runs. Iterates over rows. For float or double; sums are in double precision in row order, so they have
// the same bits as those of channels.h for runs of one element.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// A matrix of `rows` x `columns`; the columns of interest are [first, last).
struct Columns {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t first = 0;
  int64_t last = 0;

  int64_t count() const { return last - first; }
};

/// At least as many columns as fit in a cache line: fewer are not worth their own pass over the matrix.
inline constexpr int64_t kColumnsAtOnce = 16;

/// The sum of in[r][c] for each of these columns.
template <class T>
void column_sums(const Columns& shape, const T* in, double* sums);
/// The sum of (in[r][c] - centers[c])^2.
template <class T>
void column_squares(const Columns& shape, const T* in, const T* centers, double* sums);
/// The sum of a[r][c] * (b[r][c] - centers[c]).
template <class T>
void column_products(const Columns& shape, const T* a, const T* b, const T* centers, double* sums);

/// out[r][c] = a[c] * x[r][c] + b[c] * y[r][c] + c[c] for `rows` whole rows; `y` and `b` may be null.
template <class T>
void combine_rows(const T* x, const T* a, const T* y, const T* b, const T* c, int64_t rows, int64_t columns,
                  T* out);

}  // namespace forebay::kernels
