// The vertical pass and the rounding of finished rows.
#include <cstdint>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/image/resample_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/resample_vertical.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/image/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

// Four vectors from `at` on, all taps.
template <class D, class T>
HWY_INLINE void blend_four(D d, const T* const* HWY_RESTRICT rows, const float* HWY_RESTRICT weights,
                           int taps, int64_t at, float* HWY_RESTRICT out) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* HWY_RESTRICT row = rows[0] + at;
  auto weight = hn::Set(d, weights[0]);
  auto sum0 = hn::Mul(weight, load_float(d, row));
  auto sum1 = hn::Mul(weight, load_float(d, row + lanes));
  auto sum2 = hn::Mul(weight, load_float(d, row + 2 * lanes));
  auto sum3 = hn::Mul(weight, load_float(d, row + 3 * lanes));
  for (int k = 1; k < taps; ++k) {
    row = rows[k] + at;
    weight = hn::Set(d, weights[k]);
    sum0 = hn::Add(sum0, hn::Mul(weight, load_float(d, row)));
    sum1 = hn::Add(sum1, hn::Mul(weight, load_float(d, row + lanes)));
    sum2 = hn::Add(sum2, hn::Mul(weight, load_float(d, row + 2 * lanes)));
    sum3 = hn::Add(sum3, hn::Mul(weight, load_float(d, row + 3 * lanes)));
  }
  hn::StoreU(sum0, d, out + at);
  hn::StoreU(sum1, d, out + at + lanes);
  hn::StoreU(sum2, d, out + at + 2 * lanes);
  hn::StoreU(sum3, d, out + at + 3 * lanes);
}

template <class D, class T>
HWY_INLINE void blend_one(D d, const T* const* HWY_RESTRICT rows, const float* HWY_RESTRICT weights, int taps,
                          int64_t at, float* HWY_RESTRICT out) {
  auto sum = hn::Mul(hn::Set(d, weights[0]), load_float(d, rows[0] + at));
  for (int k = 1; k < taps; ++k) {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[k]), load_float(d, rows[k] + at)));
  }
  hn::StoreU(sum, d, out + at);
}

template <class T>
HWY_INLINE void blend(const T* const* rows, const float* weights, int taps, int64_t size, float* out) {
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
      sum += weights[k] * static_cast<float>(rows[k][at]);
    }
    out[at] = sum;
  }
}

template <class T>
HWY_INLINE void round_all(const float* HWY_RESTRICT in, int64_t size, T* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
  for (; at + lanes <= size; at += lanes) {
    store_rounded(d, hn::LoadU(d, in + at), out + at);
  }
  for (; at < size; ++at) {
    out[at] = convert_saturated<T>(in[at]);
  }
}

void blend_uint8(const uint8_t* const* rows, const float* weights, int taps, int64_t size, float* out) {
  blend(rows, weights, taps, size, out);
}
void blend_uint16(const uint16_t* const* rows, const float* weights, int taps, int64_t size, float* out) {
  blend(rows, weights, taps, size, out);
}
void blend_int16(const int16_t* const* rows, const float* weights, int taps, int64_t size, float* out) {
  blend(rows, weights, taps, size, out);
}
void blend_float(const float* const* rows, const float* weights, int taps, int64_t size, float* out) {
  blend(rows, weights, taps, size, out);
}

void round_uint8(const float* in, int64_t size, uint8_t* out) {
  round_all(in, size, out);
}
void round_uint16(const float* in, int64_t size, uint16_t* out) {
  round_all(in, size, out);
}
void round_int16(const float* in, int64_t size, int16_t* out) {
  round_all(in, size, out);
}
void round_float(const float* in, int64_t size, float* out) {
  round_all(in, size, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(blend_uint8);
HWY_EXPORT(blend_uint16);
HWY_EXPORT(blend_int16);
HWY_EXPORT(blend_float);
HWY_EXPORT(round_uint8);
HWY_EXPORT(round_uint16);
HWY_EXPORT(round_int16);
HWY_EXPORT(round_float);

template <>
void blend_rows(const uint8_t* const* rows, const float* weights, int taps, int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(blend_uint8)(rows, weights, taps, size, out);
}
template <>
void blend_rows(const uint16_t* const* rows, const float* weights, int taps, int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(blend_uint16)(rows, weights, taps, size, out);
}
template <>
void blend_rows(const int16_t* const* rows, const float* weights, int taps, int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(blend_int16)(rows, weights, taps, size, out);
}
template <>
void blend_rows(const float* const* rows, const float* weights, int taps, int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(blend_float)(rows, weights, taps, size, out);
}

template <>
void round_row(const float* in, int64_t size, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(round_uint8)(in, size, out);
}
template <>
void round_row(const float* in, int64_t size, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(round_uint16)(in, size, out);
}
template <>
void round_row(const float* in, int64_t size, int16_t* out) {
  HWY_DYNAMIC_DISPATCH(round_int16)(in, size, out);
}
template <>
void round_row(const float* in, int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(round_float)(in, size, out);
}

}  // namespace forebay::kernels
#endif
