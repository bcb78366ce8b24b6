// The vertical pass and the rounding of finished rows.
#include <cstdint>
#include <type_traits>

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

#if HWY_TARGET != HWY_SCALAR
// Four vectors, stored as bytes.
template <class D>
HWY_INLINE void blend_rounded_four(D d, const float* const* HWY_RESTRICT rows,
                                   const float* HWY_RESTRICT weights, int taps, int64_t at,
                                   uint8_t* HWY_RESTRICT out) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* HWY_RESTRICT row = rows[0] + at;
  auto weight = hn::Set(d, weights[0]);
  auto sum0 = hn::Mul(weight, hn::LoadU(d, row));
  auto sum1 = hn::Mul(weight, hn::LoadU(d, row + lanes));
  auto sum2 = hn::Mul(weight, hn::LoadU(d, row + 2 * lanes));
  auto sum3 = hn::Mul(weight, hn::LoadU(d, row + 3 * lanes));
  for (int k = 1; k < taps; ++k) {
    row = rows[k] + at;
    weight = hn::Set(d, weights[k]);
    sum0 = hn::Add(sum0, hn::Mul(weight, hn::LoadU(d, row)));
    sum1 = hn::Add(sum1, hn::Mul(weight, hn::LoadU(d, row + lanes)));
    sum2 = hn::Add(sum2, hn::Mul(weight, hn::LoadU(d, row + 2 * lanes)));
    sum3 = hn::Add(sum3, hn::Mul(weight, hn::LoadU(d, row + 3 * lanes)));
  }
  store_rounded_four(d, sum0, sum1, sum2, sum3, out + at);
}
#endif

// Two output rows that share source rows: each value is converted once for both. kVectors vectors from `at`.
template <int kVectors, class D, class T>
HWY_INLINE void blend_two(D d, const T* const* HWY_RESTRICT rows, const RowTaps& a, const RowTaps& b,
                          int64_t at, float* HWY_RESTRICT out_a, float* HWY_RESTRICT out_b) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  static_assert(kVectors == 1 || kVectors == 4);
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
  auto b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  const auto add = [&](int k, auto to_a, auto to_b) HWY_ATTR {
    const T* HWY_RESTRICT row = rows[k] + at;
    const auto weight_a = hn::Set(d, to_a() ? a.weights[k - a.first] : 0.0f);
    const auto weight_b = hn::Set(d, to_b() ? b.weights[k - b.first] : 0.0f);
    const auto add_one = [&](auto value, auto& sum_a, auto& sum_b) HWY_ATTR {
      if constexpr (to_a()) {
        sum_a = hn::Add(sum_a, hn::Mul(weight_a, value));
      }
      if constexpr (to_b()) {
        sum_b = hn::Add(sum_b, hn::Mul(weight_b, value));
      }
    };
    add_one(load_float(d, row), a0, b0);
    if constexpr (kVectors == 4) {
      add_one(load_float(d, row + lanes), a1, b1);
      add_one(load_float(d, row + 2 * lanes), a2, b2);
      add_one(load_float(d, row + 3 * lanes), a3, b3);
    }
  };
  int k = a.first;
  for (; k < b.first; ++k) {
    add(k, std::true_type(), std::false_type());
  }
  for (; k < a.first + a.count; ++k) {
    add(k, std::true_type(), std::true_type());
  }
  for (; k < b.first + b.count; ++k) {
    add(k, std::false_type(), std::true_type());
  }
  hn::StoreU(a0, d, out_a + at);
  hn::StoreU(b0, d, out_b + at);
  if constexpr (kVectors == 4) {
    hn::StoreU(a1, d, out_a + at + lanes);
    hn::StoreU(a2, d, out_a + at + 2 * lanes);
    hn::StoreU(a3, d, out_a + at + 3 * lanes);
    hn::StoreU(b1, d, out_b + at + lanes);
    hn::StoreU(b2, d, out_b + at + 2 * lanes);
    hn::StoreU(b3, d, out_b + at + 3 * lanes);
  }
}

template <class T>
HWY_INLINE void blend_pair(const T* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                           float* out_a, float* out_b) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool share_rows =
      a.first <= b.first && b.first < a.first + a.count && a.first + a.count <= b.first + b.count;
  if (!share_rows || size < lanes) {
    blend(rows + a.first, a.weights, a.count, size, out_a);
    blend(rows + b.first, b.weights, b.count, size, out_b);
    return;
  }
  int64_t at = 0;
  for (; at + 4 * lanes <= size; at += 4 * lanes) {
    blend_two<4>(d, rows, a, b, at, out_a, out_b);
  }
  for (; at + lanes <= size; at += lanes) {
    blend_two<1>(d, rows, a, b, at, out_a, out_b);
  }
  if (at < size) {
    blend_two<1>(d, rows, a, b, size - lanes, out_a, out_b);
  }
}

// Float rows blended and rounded in one go.
template <class D, class T>
HWY_INLINE void blend_rounded_one(D d, const float* const* HWY_RESTRICT rows,
                                  const float* HWY_RESTRICT weights, int taps, int64_t at, T* out) {
  auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, rows[0] + at));
  for (int k = 1; k < taps; ++k) {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[k]), hn::LoadU(d, rows[k] + at)));
  }
  store_rounded(d, sum, out + at);
}

template <class T>
HWY_INLINE void blend_rounded(const float* const* rows, const float* weights, int taps, int64_t size,
                              T* out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 1) {
    for (; at + 4 * lanes <= size; at += 4 * lanes) {
      blend_rounded_four(d, rows, weights, taps, at, out);
    }
  }
#endif
  for (; at + lanes <= size; at += lanes) {
    blend_rounded_one(d, rows, weights, taps, at, out);
  }
  if (at < size && size >= lanes) {
    blend_rounded_one(d, rows, weights, taps, size - lanes, out);
    return;
  }
  for (; at < size; ++at) {
    float sum = weights[0] * rows[0][at];
    for (int k = 1; k < taps; ++k) {
      sum += weights[k] * rows[k][at];
    }
    out[at] = convert_saturated<T>(sum);
  }
}

template <class T>
HWY_INLINE void round_all(const float* HWY_RESTRICT in, int64_t size, T* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 1) {
    for (; at + 4 * lanes <= size; at += 4 * lanes) {
      const float* from = in + at;
      store_rounded_four(d, hn::LoadU(d, from), hn::LoadU(d, from + lanes), hn::LoadU(d, from + 2 * lanes),
                         hn::LoadU(d, from + 3 * lanes), out + at);
    }
  }
#endif
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

void blend_pair_uint8(const uint8_t* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                      float* out_a, float* out_b) {
  blend_pair(rows, a, b, size, out_a, out_b);
}
void blend_to_uint8(const float* const* rows, const float* weights, int taps, int64_t size, uint8_t* out) {
  blend_rounded(rows, weights, taps, size, out);
}
void blend_pair_uint16(const uint16_t* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                       float* out_a, float* out_b) {
  blend_pair(rows, a, b, size, out_a, out_b);
}
void blend_to_uint16(const float* const* rows, const float* weights, int taps, int64_t size, uint16_t* out) {
  blend_rounded(rows, weights, taps, size, out);
}
void blend_pair_int16(const int16_t* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                      float* out_a, float* out_b) {
  blend_pair(rows, a, b, size, out_a, out_b);
}
void blend_to_int16(const float* const* rows, const float* weights, int taps, int64_t size, int16_t* out) {
  blend_rounded(rows, weights, taps, size, out);
}
void blend_pair_float(const float* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                      float* out_a, float* out_b) {
  blend_pair(rows, a, b, size, out_a, out_b);
}
void blend_to_float(const float* const* rows, const float* weights, int taps, int64_t size, float* out) {
  blend_rounded(rows, weights, taps, size, out);
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
HWY_EXPORT(blend_pair_uint8);
HWY_EXPORT(blend_to_uint8);
HWY_EXPORT(blend_pair_uint16);
HWY_EXPORT(blend_to_uint16);
HWY_EXPORT(blend_pair_int16);
HWY_EXPORT(blend_to_int16);
HWY_EXPORT(blend_pair_float);
HWY_EXPORT(blend_to_float);
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
void blend_row_pair(const uint8_t* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                    float* out_a, float* out_b) {
  HWY_DYNAMIC_DISPATCH(blend_pair_uint8)(rows, a, b, size, out_a, out_b);
}
template <>
void blend_rows_to(const float* const* rows, const float* weights, int taps, int64_t size, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_to_uint8)(rows, weights, taps, size, out);
}

template <>
void blend_row_pair(const uint16_t* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                    float* out_a, float* out_b) {
  HWY_DYNAMIC_DISPATCH(blend_pair_uint16)(rows, a, b, size, out_a, out_b);
}
template <>
void blend_rows_to(const float* const* rows, const float* weights, int taps, int64_t size, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_to_uint16)(rows, weights, taps, size, out);
}

template <>
void blend_row_pair(const int16_t* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                    float* out_a, float* out_b) {
  HWY_DYNAMIC_DISPATCH(blend_pair_int16)(rows, a, b, size, out_a, out_b);
}
template <>
void blend_rows_to(const float* const* rows, const float* weights, int taps, int64_t size, int16_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_to_int16)(rows, weights, taps, size, out);
}

template <>
void blend_row_pair(const float* const* rows, const RowTaps& a, const RowTaps& b, int64_t size, float* out_a,
                    float* out_b) {
  HWY_DYNAMIC_DISPATCH(blend_pair_float)(rows, a, b, size, out_a, out_b);
}
template <>
void blend_rows_to(const float* const* rows, const float* weights, int taps, int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(blend_to_float)(rows, weights, taps, size, out);
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
