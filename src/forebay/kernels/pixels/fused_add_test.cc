// One rounding on every SIMD target, including those without the instruction.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/pixels/fused_add_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "forebay/kernels/pixels/fused_add-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

float fused_add_one(float a, float b, float c) {
  const hn::CappedTag<float, 4> d;
  return hn::GetLane(fused_add(d, hn::Set(d, a), hn::Set(d, b), hn::Set(d, c)));
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace forebay::kernels {

HWY_EXPORT(fused_add_one);

namespace {

float fused_add(float a, float b, float c) {
  return HWY_DYNAMIC_DISPATCH(fused_add_one)(a, b, c);
}

template <class F>
void for_each_target(F&& check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(FusedAdd, RoundsOnce) {
  // Exactly 1 + 2^-23 + 2^-24 -+ 2^-54: a sum first rounded to double would be halfway between two floats.
  const float odd = 1 + std::ldexp(1.0f, -23);
  const float above = 1 + std::ldexp(1.0f, -15);
  const float below = 1 - std::ldexp(1.0f, -15);
  for_each_target([&] {
    EXPECT_EQ(fused_add(std::ldexp(above, -24), below, odd), odd);
    EXPECT_EQ(fused_add(-std::ldexp(above, -24), below, -odd), -odd);
    EXPECT_EQ(fused_add(std::ldexp(above, -24), above, 1), 1 + std::ldexp(1.0f, -23));
  });
}

TEST(FusedAdd, EqualsTheStandardOne) {
  for_each_target([] {
    std::mt19937 random(3);
    const auto value = [&] {
      const auto mantissa = static_cast<float>(static_cast<int32_t>(random()));
      return std::ldexp(mantissa, static_cast<int>(random() % 60) - 60);
    };
    for (int i = 0; i < 100'000; ++i) {
      const std::array<float, 3> values{value(), value(), value()};
      ASSERT_EQ(fused_add(values[0], values[1], values[2]), std::fma(values[0], values[1], values[2]))
          << values[0] << " * " << values[1] << " + " << values[2];
    }
  });
}

TEST(FusedAdd, KeepsWhatIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for_each_target([&] {
    EXPECT_EQ(fused_add(2, 3, kInfinity), kInfinity);
    EXPECT_EQ(fused_add(kInfinity, -3, 1), -kInfinity);
    EXPECT_TRUE(std::isnan(fused_add(kInfinity, 0, 1)));
    EXPECT_TRUE(std::isnan(fused_add(kInfinity, 1, -kInfinity)));
  });
}

}  // namespace
}  // namespace forebay::kernels
#endif
