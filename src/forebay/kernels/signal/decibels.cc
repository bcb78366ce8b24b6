#include "forebay/kernels/signal/decibels.h"

#include <algorithm>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/signal/decibels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/activation/functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

float largest_of(const float* values, int64_t count, float least) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto top = hn::Set(d, least);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, values + i);
    top = hn::IfThenElse(hn::Gt(value, top), value, top);
  }
  float most = hn::GetLane(hn::MaxOfLanes(d, top));
  for (; i < count; ++i) {
    most = values[i] > most ? values[i] : most;
  }
  return most;
}

template <class D>
HWY_INLINE void decibels_of(D d, const float* in, float scale, float reference, float min_ratio, float* out) {
  const auto ratio = hn::Div(hn::LoadU(d, in), hn::Set(d, reference));
  const auto least = hn::Set(d, min_ratio);
  const auto cut = hn::IfThenElse(hn::Lt(ratio, least), least, ratio);  // keeps NaN
  hn::StoreU(hn::Mul(log_of(d, cut), hn::Set(d, scale)), d, out);
}

void decibels_rows(const float* in, int64_t count, float scale, float reference, float min_ratio,
                   float* out) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    decibels_of(d, in + i, scale, reference, min_ratio, out + i);
  }
  for (; i < count; ++i) {
    decibels_of(hn::CappedTag<float, 1>(), in + i, scale, reference, min_ratio, out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
HWY_EXPORT(largest_of);
HWY_EXPORT(decibels_rows);

float largest(const float* values, int64_t count, float least) {
  return HWY_DYNAMIC_DISPATCH(largest_of)(values, count, least);
}

void to_decibels(const float* in, int64_t count, float multiplier, float reference, float min_ratio,
                 float* out) {
  const auto scale = static_cast<float>(multiplier / std::numbers::ln10);
  HWY_DYNAMIC_DISPATCH(decibels_rows)(in, count, scale, reference, min_ratio, out);
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
