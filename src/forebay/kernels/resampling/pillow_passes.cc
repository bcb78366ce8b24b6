#include "forebay/kernels/resampling/pillow_passes.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/resampling/pillow_passes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void blend_fixed_point(const uint8_t* HWY_RESTRICT rows, ptrdiff_t pitch, const int32_t* HWY_RESTRICT weights,
                       int count, int64_t size, uint8_t* HWY_RESTRICT out) {
  const hn::CappedTag<int32_t, 16> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto half = hn::Set(d, 1 << (kPillowFractionBits - 1));
  int64_t at = 0;
  for (; at + 2 * lanes <= size; at += 2 * lanes) {
    auto sum0 = half;
    auto sum1 = half;
    const uint8_t* HWY_RESTRICT row = rows + at;
    for (int k = 0; k < count; ++k, row += pitch) {
      const auto weight = hn::Set(d, weights[k]);
      sum0 = hn::Add(sum0, hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, row))));
      sum1 = hn::Add(sum1, hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, row + lanes))));
    }
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<kPillowFractionBits>(sum0)), bytes, out + at);
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<kPillowFractionBits>(sum1)), bytes, out + at + lanes);
  }
  for (; at < size; ++at) {
    int32_t sum = 1 << (kPillowFractionBits - 1);
    for (int k = 0; k < count; ++k) {
      sum += weights[k] * rows[k * pitch + at];
    }
    out[at] = static_cast<uint8_t>(std::clamp(sum >> kPillowFractionBits, 0, 255));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(blend_fixed_point);

void pillow_blend_rows(const uint8_t* rows, ptrdiff_t pitch, const int32_t* weights, int count, int64_t size,
                       uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_fixed_point)(rows, pitch, weights, count, size, out);
}

}  // namespace forebay::kernels
#endif
