// The vertical pass, and the rounding of finished rows.
#include <cmath>
#include <cstdint>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/resampling/resample_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/resampling/resample_vertical.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/fused_add-inl.h"
#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

// Blends four vectors from `at` on, all taps.
template <class D, class In, class Out>
HWY_INLINE void blend_four(D d, const In* const* HWY_RESTRICT rows, const float* HWY_RESTRICT weights,
                           int taps, int64_t at, Out* HWY_RESTRICT out) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const In* HWY_RESTRICT row = rows[0] + at;
  auto weight = hn::Set(d, weights[0]);
  auto sum0 = hn::Mul(weight, load_float(d, row));
  auto sum1 = hn::Mul(weight, load_float(d, row + lanes));
  auto sum2 = hn::Mul(weight, load_float(d, row + 2 * lanes));
  auto sum3 = hn::Mul(weight, load_float(d, row + 3 * lanes));
  for (int k = 1; k < taps; ++k) {
    row = rows[k] + at;
    weight = hn::Set(d, weights[k]);
    sum0 = fused_add(d, weight, load_float(d, row), sum0);
    sum1 = fused_add(d, weight, load_float(d, row + lanes), sum1);
    sum2 = fused_add(d, weight, load_float(d, row + 2 * lanes), sum2);
    sum3 = fused_add(d, weight, load_float(d, row + 3 * lanes), sum3);
  }
  store_rounded_four<HalvesToEven>(d, sum0, sum1, sum2, sum3, out + at);
}

template <class D, class In, class Out>
HWY_INLINE void blend_one(D d, const In* const* HWY_RESTRICT rows, const float* HWY_RESTRICT weights,
                          int taps, int64_t at, Out* HWY_RESTRICT out) {
  auto sum = hn::Mul(hn::Set(d, weights[0]), load_float(d, rows[0] + at));
  for (int k = 1; k < taps; ++k) {
    sum = fused_add(d, hn::Set(d, weights[k]), load_float(d, rows[k] + at), sum);
  }
  store_rounded<HalvesToEven>(d, sum, out + at);
}

template <class In, class Out>
HWY_INLINE void blend(const In* const* rows, const float* weights, int taps, int64_t size, Out* out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
  for (; at + 4 * lanes <= size; at += 4 * lanes) {
    blend_four(d, rows, weights, taps, at, out);
  }
  for (; at + lanes <= size; at += lanes) {
    blend_one(d, rows, weights, taps, at, out);
  }
  if (at < size && size >= lanes) {
    blend_one(d, rows, weights, taps, size - lanes, out);
    return;
  }
  for (; at < size; ++at) {
    float sum = weights[0] * static_cast<float>(rows[0][at]);
    for (int k = 1; k < taps; ++k) {
      sum = std::fma(weights[k], static_cast<float>(rows[k][at]), sum);
    }
    out[at] = convert_to_even<Out>(sum);
  }
}

template <class Halves, class T>
HWY_INLINE void round_all(const float* HWY_RESTRICT in, int64_t size, T* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
  for (; at + 4 * lanes <= size; at += 4 * lanes) {
    const float* from = in + at;
    store_rounded_four<Halves>(d, hn::LoadU(d, from), hn::LoadU(d, from + lanes),
                               hn::LoadU(d, from + 2 * lanes), hn::LoadU(d, from + 3 * lanes), out + at);
  }
  for (; at + lanes <= size; at += lanes) {
    store_rounded<Halves>(d, hn::LoadU(d, in + at), out + at);
  }
  for (; at < size; ++at) {
    out[at] =
        std::is_same_v<Halves, HalvesToEven> ? convert_to_even<T>(in[at]) : convert_saturated<T>(in[at]);
  }
}

// Functions with distinct names, for the table of targets.
#define FOREBAY_EACH_BLEND(X)         \
  X(blend_uint8, uint8_t, float)      \
  X(blend_uint16, uint16_t, float)    \
  X(blend_int16, int16_t, float)      \
  X(blend_float, float, float)        \
  X(blend_to_uint8, float, uint8_t)   \
  X(blend_to_uint16, float, uint16_t) \
  X(blend_to_int16, float, int16_t)
#define FOREBAY_EACH_ROUND(X)                               \
  X(round_row, away_uint8, HalvesAway, uint8_t)             \
  X(round_row, away_uint16, HalvesAway, uint16_t)           \
  X(round_row, away_int16, HalvesAway, int16_t)             \
  X(round_row, away_float, HalvesAway, float)               \
  X(round_row_to_even, even_uint8, HalvesToEven, uint8_t)   \
  X(round_row_to_even, even_uint16, HalvesToEven, uint16_t) \
  X(round_row_to_even, even_int16, HalvesToEven, int16_t)   \
  X(round_row_to_even, even_float, HalvesToEven, float)

#define FOREBAY_BLEND(name, In, Out)                                                         \
  void name(const In* const* rows, const float* weights, int taps, int64_t size, Out* out) { \
    blend(rows, weights, taps, size, out);                                                   \
  }
FOREBAY_EACH_BLEND(FOREBAY_BLEND)
#undef FOREBAY_BLEND

#define FOREBAY_ROUND(function, name, Halves, T)     \
  void name(const float* in, int64_t size, T* out) { \
    round_all<Halves>(in, size, out);                \
  }
FOREBAY_EACH_ROUND(FOREBAY_ROUND)
#undef FOREBAY_ROUND

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

#define FOREBAY_BLEND(name, In, Out)                                                               \
  HWY_EXPORT(name);                                                                                \
  template <>                                                                                      \
  void blend_rows(const In* const* rows, const float* weights, int taps, int64_t size, Out* out) { \
    HWY_DYNAMIC_DISPATCH(name)(rows, weights, taps, size, out);                                    \
  }
FOREBAY_EACH_BLEND(FOREBAY_BLEND)
#undef FOREBAY_BLEND

#define FOREBAY_ROUND(function, name, Halves, T)         \
  HWY_EXPORT(name);                                      \
  template <>                                            \
  void function(const float* in, int64_t size, T* out) { \
    HWY_DYNAMIC_DISPATCH(name)(in, size, out);           \
  }
FOREBAY_EACH_ROUND(FOREBAY_ROUND)
#undef FOREBAY_ROUND

}  // namespace forebay::kernels
#endif
