#include "forebay/kernels/nn/channels.h"

#include <algorithm>
#include <type_traits>

#include "forebay/kernels/nn/columns.h"
#include "forebay/memory/host/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/nn/channels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight partial sums on every target, so a sum has the same bits everywhere.
template <class T>
using Eight = hn::CappedTag<T, 8>;
constexpr int64_t kPartials = 8;

/// The sum of term(d, i) for i in [0, count), kPartials at a time.
template <class T, class VectorTerm, class ScalarTerm>
HWY_INLINE double sum_terms(int64_t count, VectorTerm vector_term, ScalarTerm scalar_term) {
  const Eight<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto parts = static_cast<size_t>(kPartials / lanes);
  hn::Vec<Eight<T>> sums[kPartials];
  for (size_t part = 0; part < parts; ++part) {
    sums[part] = hn::Zero(d);
  }
  int64_t i = 0;
  for (; i + kPartials <= count; i += kPartials) {
    for (size_t part = 0; part < parts; ++part) {
      sums[part] = hn::Add(sums[part], vector_term(d, i + static_cast<int64_t>(part) * lanes));
    }
  }
  HWY_ALIGN T partials[kPartials];
  for (size_t part = 0; part < parts; ++part) {
    hn::StoreU(sums[part], d, partials + static_cast<int64_t>(part) * lanes);
  }
  double sum = 0;
  for (const T partial : partials) {
    sum += partial;
  }
  for (; i < count; ++i) {
    sum += scalar_term(i);
  }
  return sum;
}

template <class T>
double sum_any(const T* values, int64_t count) {
  return sum_terms<T>(
      count, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, values + i); },
      [=](int64_t i) { return values[i]; });
}

template <class T>
double squares_any(const T* values, int64_t count, T center) {
  return sum_terms<T>(
      count,
      [=](auto d, int64_t i) HWY_ATTR {
        const auto away = hn::Sub(hn::LoadU(d, values + i), hn::Set(d, center));
        return hn::Mul(away, away);
      },
      [=](int64_t i) { return (values[i] - center) * (values[i] - center); });
}

template <class T>
double product_any(const T* a, const T* b, int64_t count, T center) {
  return sum_terms<T>(
      count,
      [=](auto d, int64_t i)
          HWY_ATTR { return hn::Mul(hn::LoadU(d, a + i), hn::Sub(hn::LoadU(d, b + i), hn::Set(d, center))); },
      [=](int64_t i) { return a[i] * (b[i] - center); });
}

template <class T, class D>
HWY_INLINE void combine_at(D d, const T* x, T a, const T* y, T b, T c, T* out) {
  auto sum = hn::Add(hn::Mul(hn::Set(d, a), hn::LoadU(d, x)), hn::Set(d, c));
  if (y != nullptr) {
    sum = hn::Add(hn::Mul(hn::Set(d, b), hn::LoadU(d, y)), sum);
  }
  hn::StoreU(sum, d, out);
}

template <class T>
void combine_any(const T* x, T a, const T* y, T b, T c, int64_t count, T* out) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    combine_at(d, x + i, a, y == nullptr ? y : y + i, b, c, out + i);
  }
  for (; i < count; ++i) {
    combine_at(one, x + i, a, y == nullptr ? y : y + i, b, c, out + i);
  }
}

#define FOREBAY_TARGET_FUNCTIONS(T, suffix)                                             \
  double sum_##suffix(const T* values, int64_t count) {                                 \
    return sum_any(values, count);                                                      \
  }                                                                                     \
  double squares_##suffix(const T* values, int64_t count, T center) {                   \
    return squares_any(values, count, center);                                          \
  }                                                                                     \
  double product_##suffix(const T* a, const T* b, int64_t count, T center) {            \
    return product_any(a, b, count, center);                                            \
  }                                                                                     \
  void combine_##suffix(const T* x, T a, const T* y, T b, T c, int64_t count, T* out) { \
    combine_any(x, a, y, b, c, count, out);                                             \
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

HWY_EXPORT(sum_float);
HWY_EXPORT(sum_double);
HWY_EXPORT(squares_float);
HWY_EXPORT(squares_double);
HWY_EXPORT(product_float);
HWY_EXPORT(product_double);
HWY_EXPORT(combine_float);
HWY_EXPORT(combine_double);

#define FOREBAY_DISPATCH(T, name, ...)                       \
  if constexpr (std::is_same_v<T, float>) {                  \
    return HWY_DYNAMIC_DISPATCH(name##_float)(__VA_ARGS__);  \
  } else {                                                   \
    return HWY_DYNAMIC_DISPATCH(name##_double)(__VA_ARGS__); \
  }

/// The sum of a run of values.
template <class T>
double sum_of_run(const T* values, int64_t count) {
  FOREBAY_DISPATCH(T, sum, values, count)
}
/// The sum of (value - center)^2 over a run.
template <class T>
double squares_of_run(const T* values, int64_t count, T center) {
  FOREBAY_DISPATCH(T, squares, values, count, center)
}
/// The sum of a[i] * (b[i] - center) over two runs.
template <class T>
double product_of_runs(const T* a, const T* b, int64_t count,
                       T center){FOREBAY_DISPATCH(T, product, a, b, count, center)}

Columns columns_of(const Channels& shape, int64_t first, int64_t last) {
  return {.rows = shape.outer, .columns = shape.channels, .first = first, .last = last};
}

}  // namespace

template <class T>
void combine_runs(const T* x, T a, const T* y, T b, T c, int64_t count, T* out) {
  FOREBAY_DISPATCH(T, combine, x, a, y, b, c, count, out)
}
#undef FOREBAY_DISPATCH

template <class T>
void channel_sums(const Channels& shape, int64_t first, int64_t last, const T* in, T* sums) {
  if (shape.inner == 1) {
    memory::ScratchVector<double> exact(static_cast<size_t>(last - first));
    column_sums(columns_of(shape, first, last), in, exact.data());
    std::ranges::transform(exact, sums + first, [](double sum) { return static_cast<T>(sum); });
    return;
  }
  for (int64_t channel = first; channel < last; ++channel) {
    double sum = 0;
    for (int64_t place = 0; place < shape.outer; ++place) {
      sum += sum_of_run(in + shape.start(place, channel), shape.inner);
    }
    sums[channel] = static_cast<T>(sum);
  }
}

template <class T>
void channel_statistics(const Channels& shape, int64_t first, int64_t last, const T* in, T* means,
                        T* variances) {
  channel_sums(shape, first, last, in, means);
  const auto count = static_cast<double>(shape.count());
  for (int64_t channel = first; channel < last; ++channel) {
    means[channel] = static_cast<T>(means[channel] / count);
  }
  memory::ScratchVector<double> squares(static_cast<size_t>(last - first));
  if (shape.inner == 1) {
    column_squares(columns_of(shape, first, last), in, means, squares.data());
  } else {
    for (int64_t channel = first; channel < last; ++channel) {
      double& sum = squares[static_cast<size_t>(channel - first)];
      for (int64_t place = 0; place < shape.outer; ++place) {
        sum += squares_of_run(in + shape.start(place, channel), shape.inner, means[channel]);
      }
    }
  }
  for (int64_t channel = first; channel < last; ++channel) {
    variances[channel] = static_cast<T>(squares[static_cast<size_t>(channel - first)] / count);
  }
}

template <class T>
void channel_products(const Channels& shape, int64_t first, int64_t last, const T* a, const T* b,
                      const T* centers, double* sums, double* products) {
  if (shape.inner == 1) {
    column_sums(columns_of(shape, first, last), a, sums);
    column_products(columns_of(shape, first, last), a, b, centers, products);
    return;
  }
  for (int64_t channel = first; channel < last; ++channel) {
    double sum = 0;
    double product = 0;
    for (int64_t place = 0; place < shape.outer; ++place) {
      const int64_t at = shape.start(place, channel);
      sum += sum_of_run(a + at, shape.inner);
      product += product_of_runs(a + at, b + at, shape.inner, centers[channel]);
    }
    *sums++ = sum;
    *products++ = product;
  }
}

#define FOREBAY_INSTANTIATE(T)                                                                             \
  template void combine_runs(const T*, T, const T*, T, T, int64_t, T*);                                    \
  template void channel_sums(const Channels&, int64_t, int64_t, const T*, T*);                             \
  template void channel_statistics(const Channels&, int64_t, int64_t, const T*, T*, T*);                   \
  template void channel_products(const Channels&, int64_t, int64_t, const T*, const T*, const T*, double*, \
                                 double*)
FOREBAY_INSTANTIATE(float);
FOREBAY_INSTANTIATE(double);
#undef FOREBAY_INSTANTIATE

}  // namespace forebay::kernels
#endif  // HWY_ONCE
