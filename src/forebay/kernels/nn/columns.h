// Statistics of the columns of a matrix, and what is done with them: channels that are the last axis, where
// they have no runs to walk. Rows are walked instead. Of float or double; sums grow in double precision in
// the order of rows, so that they have the bits of channels.h's for runs of one element.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// A matrix of `rows` x `columns`; what is asked for are the columns in [first, last).
struct Columns {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t first = 0;
  int64_t last = 0;

  int64_t count() const { return last - first; }
};

/// As many columns lie on a line of a processor's cache, or more: fewer are not worth a walk of their own.
inline constexpr int64_t kColumnsAtOnce = 16;

/// The sum of in[r][c] of each of these columns.
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
