// Levels between tiles are what their formula gives, on each target.
#include "forebay/kernels/image/clahe_rows.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/kernels/filters/filter_lines.h"

namespace forebay::kernels {
namespace {

constexpr int64_t kPixels = 2 * kRowOfTilesMultiple;
constexpr int64_t kPairs = 3;

TEST(ClaheRowsTest, IsTheFormulaOnEachTarget) {
  RandomStream random(5, 0);
  std::vector<uint32_t> levels(kPairs * 256);
  for (uint32_t& four : levels) {
    four = random.next_u32();
  }
  std::array<uint8_t, kPixels> in{};
  std::array<int32_t, kPixels> pairs{};
  std::array<float, kPixels> right{};
  std::array<uint8_t, kPixels> expected{};
  const float lower = 0.3f;
  for (size_t x = 0; x < kPixels; ++x) {
    in[x] = static_cast<uint8_t>(random.below(256));
    pairs[x] = static_cast<int32_t>(random.below(kPairs) * 256);
    right[x] = random.uniform_float();
    const uint32_t four = levels[static_cast<size_t>(pairs[x]) + in[x]];
    const auto level = [four](int byte) { return static_cast<float>(four >> (8 * byte) & 0xff); };
    const float above = level(0) * (1.0f - right[x]) + level(1) * right[x];
    const float below = level(2) * (1.0f - right[x]) + level(3) * right[x];
    expected[x] = convert_to_even<uint8_t>(above * (1.0f - lower) + below * lower);
  }
  for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    std::array<uint8_t, kPixels> out{};
    blend_tiles(in.data(), kPixels, {levels.data(), pairs.data(), right.data(), lower}, out.data());
    EXPECT_EQ(out, expected) << hwy::TargetName(left & -left);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace forebay::kernels
