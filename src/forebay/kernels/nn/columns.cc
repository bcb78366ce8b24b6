#include "forebay/kernels/nn/columns.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/nn/columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sums of term(place in the matrix, column), kColumnsAtOnce columns at a time.
template <class Term>
HWY_INLINE void add_columns(const Columns& shape, Term term, double* sums) {
  for (int64_t column = shape.first; column < shape.last; column += kColumnsAtOnce) {
    const int64_t count = std::min(kColumnsAtOnce, shape.last - column);
    double block[kColumnsAtOnce] = {};
    for (int64_t row = 0; row < shape.rows; ++row) {
      const int64_t at = row * shape.columns + column;
      if (count == kColumnsAtOnce) {
        for (int64_t i = 0; i < kColumnsAtOnce; ++i) {
          block[i] += static_cast<double>(term(at + i, column + i));
        }
      } else {
        for (int64_t i = 0; i < count; ++i) {
          block[i] += static_cast<double>(term(at + i, column + i));
        }
      }
    }
    std::copy_n(block, count, sums + (column - shape.first));
  }
}

template <class T>
void combine_any(const T* x, const T* a, const T* y, const T* b, const T* c, int64_t rows, int64_t columns,
                 T* out) {
  const auto combine_at = [=](auto d, int64_t at, int64_t column) HWY_ATTR {
    auto sum = hn::Add(hn::Mul(hn::LoadU(d, a + column), hn::LoadU(d, x + at)), hn::LoadU(d, c + column));
    if (y != nullptr) {
      sum = hn::Add(hn::Mul(hn::LoadU(d, b + column), hn::LoadU(d, y + at)), sum);
    }
    hn::StoreU(sum, d, out + at);
  };
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t row = 0; row < rows; ++row) {
    int64_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      combine_at(d, row * columns + i, i);
    }
    for (; i < columns; ++i) {
      combine_at(one, row * columns + i, i);
    }
  }
}

#define FOREBAY_TARGET_FUNCTIONS(T, suffix)                                                                 \
  void sums_##suffix(const Columns& shape, const T* in, double* sums) {                                     \
    add_columns(                                                                                            \
        shape, [=](int64_t at, int64_t) { return in[at]; }, sums);                                          \
  }                                                                                                         \
  void squares_##suffix(const Columns& shape, const T* in, const T* centers, double* sums) {                \
    add_columns(                                                                                            \
        shape, [=](int64_t at, int64_t i) { return (in[at] - centers[i]) * (in[at] - centers[i]); }, sums); \
  }                                                                                                         \
  void products_##suffix(const Columns& shape, const T* a, const T* b, const T* centers, double* sums) {    \
    add_columns(                                                                                            \
        shape, [=](int64_t at, int64_t i) { return a[at] * (b[at] - centers[i]); }, sums);                  \
  }                                                                                                         \
  void combine_##suffix(const T* x, const T* a, const T* y, const T* b, const T* c, int64_t rows,           \
                        int64_t columns, T* out) {                                                          \
    combine_any(x, a, y, b, c, rows, columns, out);                                                         \
  }
FOREBAY_TARGET_FUNCTIONS(float, float)
FOREBAY_TARGET_FUNCTIONS(double, double)
#undef FOREBAY_TARGET_FUNCTIONS

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(sums_float);
HWY_EXPORT(sums_double);
HWY_EXPORT(squares_float);
HWY_EXPORT(squares_double);
HWY_EXPORT(products_float);
HWY_EXPORT(products_double);
HWY_EXPORT(combine_float);
HWY_EXPORT(combine_double);

}  // namespace

#define FOREBAY_DISPATCH(T, name, ...)                \
  if constexpr (std::is_same_v<T, float>) {           \
    HWY_DYNAMIC_DISPATCH(name##_float)(__VA_ARGS__);  \
  } else {                                            \
    HWY_DYNAMIC_DISPATCH(name##_double)(__VA_ARGS__); \
  }

template <class T>
void column_sums(const Columns& shape, const T* in, double* sums) {
  FOREBAY_DISPATCH(T, sums, shape, in, sums)
}
template <class T>
void column_squares(const Columns& shape, const T* in, const T* centers, double* sums) {
  FOREBAY_DISPATCH(T, squares, shape, in, centers, sums)
}
template <class T>
void column_products(const Columns& shape, const T* a, const T* b, const T* centers, double* sums) {
  FOREBAY_DISPATCH(T, products, shape, a, b, centers, sums)
}
template <class T>
void combine_rows(const T* x, const T* a, const T* y, const T* b, const T* c, int64_t rows, int64_t columns,
                  T* out){FOREBAY_DISPATCH(T, combine, x, a, y, b, c, rows, columns, out)}
#undef FOREBAY_DISPATCH

#define FOREBAY_INSTANTIATE(T)                                                          \
  template void column_sums(const Columns&, const T*, double*);                         \
  template void column_squares(const Columns&, const T*, const T*, double*);            \
  template void column_products(const Columns&, const T*, const T*, const T*, double*); \
  template void combine_rows(const T*, const T*, const T*, const T*, const T*, int64_t, int64_t, T*)
FOREBAY_INSTANTIATE(float);
FOREBAY_INSTANTIATE(double);
#undef FOREBAY_INSTANTIATE

}  // namespace forebay::kernels
#endif  // HWY_ONCE
