// The vertical pass for two output rows that share source rows: each value is converted once for both.
#include <cstdint>
#include <type_traits>

#include "forebay/kernels/resampling/resample_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/resampling/resample_row_pair.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/fused_add-inl.h"
#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

// Blends kVectors vectors from `at` on.
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
        sum_a = fused_add(d, weight_a, value, sum_a);
      }
      if constexpr (to_b()) {
        sum_b = fused_add(d, weight_b, value, sum_b);
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

// `size` is at least one vector.
template <class T>
HWY_INLINE void blend_pair(const T* const* rows, const RowTaps& a, const RowTaps& b, int64_t size,
                           float* out_a, float* out_b) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
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

// Functions with distinct names, for the table of targets.
#define FOREBAY_EACH_PAIR(X) \
  X(pair_uint8, uint8_t)     \
  X(pair_uint16, uint16_t)   \
  X(pair_int16, int16_t)     \
  X(pair_float, float)

#define FOREBAY_PAIR(name, T)                                                                     \
  void name(const T* const* rows, const RowTaps& a, const RowTaps& b, int64_t size, float* out_a, \
            float* out_b) {                                                                       \
    blend_pair(rows, a, b, size, out_a, out_b);                                                   \
  }
FOREBAY_EACH_PAIR(FOREBAY_PAIR)
#undef FOREBAY_PAIR

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

constexpr int64_t kWidestVector = 16;

bool is_pair(const RowTaps& a, const RowTaps& b, int64_t size) {
  const int end_a = a.first + a.count;
  return size >= kWidestVector && a.first <= b.first && b.first < end_a && end_a <= b.first + b.count;
}

}  // namespace

#define FOREBAY_PAIR(name, T)                                                                               \
  HWY_EXPORT(name);                                                                                         \
  template <>                                                                                               \
  void blend_row_pair(const T* const* rows, const RowTaps& a, const RowTaps& b, int64_t size, float* out_a, \
                      float* out_b) {                                                                       \
    if (is_pair(a, b, size)) {                                                                              \
      HWY_DYNAMIC_DISPATCH(name)(rows, a, b, size, out_a, out_b);                                           \
    } else {                                                                                                \
      blend_rows(rows + a.first, a.weights, a.count, size, out_a);                                          \
      blend_rows(rows + b.first, b.weights, b.count, size, out_b);                                          \
    }                                                                                                       \
  }
FOREBAY_EACH_PAIR(FOREBAY_PAIR)
#undef FOREBAY_PAIR

}  // namespace forebay::kernels
#endif
