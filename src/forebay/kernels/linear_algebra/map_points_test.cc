// Points through full, joined and shortened matrices.
#include "forebay/kernels/linear_algebra/map_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace forebay::kernels {
namespace {

using tensor::DType;
using ::testing::ElementsAre;

std::vector<int16_t> mapped_points(const std::vector<float>& points, int64_t columns, const PointMap& map,
                                   int64_t rows) {
  const auto count = static_cast<int64_t>(points.size()) / columns;
  std::vector<int16_t> out(static_cast<size_t>(count * rows));
  map_points({points.data(), {{count, columns}, DType::kFloat, {}}}, map,
             {out.data(), {{count, rows}, DType::kInt16, {}}});
  return out;
}

TEST(MapPoints, TakesAMatrixAndAShift) {
  const std::vector<float> m{1, 2, 3, 4, 5, 6};
  const std::vector<float> t{10, 20, 1e9f};
  EXPECT_THAT(mapped_points({1, 1, 0, 0.25f}, 2, {m, t, 2, 1}, 3), ElementsAre(13, 27, 32767, 11, 21, 32767));
  EXPECT_THAT(mapped_points({1, 2, 3}, 3, {m, {}, 3, 1}, 2), ElementsAre(14, 32));
}

TEST(MapPoints, TakesBothJoined) {
  const std::vector<float> joined{1, 2, 10, 3, 4, 20};
  const std::span<const float> all(joined);
  EXPECT_THAT(mapped_points({1, 1, 0, 1}, 2, {all, all.subspan(2), 3, 3}, 2), ElementsAre(13, 27, 12, 24));
}

TEST(MapPoints, TakesOneNumberOrNone) {
  const std::vector<float> two{2};
  EXPECT_THAT(mapped_points({1, -3}, 2, {{}, two, 2, 1}, 2), ElementsAre(3, -1));
  EXPECT_THAT(mapped_points({1, -3}, 2, {two, {}, 2, 1}, 2), ElementsAre(2, -6));
}

}  // namespace
}  // namespace forebay::kernels
