#include "forebay/base/trace/thinned_curve.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using Points = std::vector<CurvePoint<1>>;

TEST(ThinnedCurve, KeepsStepsThatAreFew) {
  const Points kept = thinned<1>({{10, {1}}, {2000, {5}}, {5000, {3}}});
  ASSERT_EQ(kept.size(), 3);
  EXPECT_EQ(kept[1].at_ns, 2000);
  EXPECT_EQ(kept[1].values[0], 5);
  EXPECT_TRUE(thinned<1>({}).empty());
}

TEST(ThinnedCurve, LeavesOutWhatRepeatsOrDoesNotLast) {
  const Points kept = thinned<1>({{0, {1}}, {5000, {1}}, {9000, {7}}, {9000, {2}}});
  ASSERT_EQ(kept.size(), 2);
  EXPECT_EQ(kept[1].values[0], 2);
}

TEST(ThinnedCurve, KeepsMaximaAndTheEndOfWhatChangesOften) {
  constexpr int64_t kSteps = 1000000;
  Points points;
  for (int64_t i = 0; i < kSteps; ++i) {
    points.push_back({i * 2000, {i == kSteps / 2 ? 99 : i % 2}});
  }
  points.push_back({kSteps * 2000, {42}});
  const Points kept = thinned(points);
  EXPECT_LE(kept.size(), 2 * 2001);  // two seconds of milliseconds
  EXPECT_EQ(std::ranges::count(kept, 99, [](const auto& point) { return point.values[0]; }), 1);
  EXPECT_EQ(kept.back().values[0], 42);
}

TEST(ThinnedCurve, ValuesHaveTheirOwnMaxima) {
  std::vector<CurvePoint<2>> points;
  for (int64_t i = 0; i < 10000; ++i) {
    points.push_back({i * 10, {i % 2, -(i % 2)}});
  }
  for (const auto& point : thinned(points)) {
    EXPECT_GE(point.values[0] + point.values[1], 0);
  }
}

}  // namespace
}  // namespace forebay
