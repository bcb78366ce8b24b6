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
  EXPECT_TRUE(map_points({points.data(), {{count, columns}, DType::kFloat, {}}}, map,
                         {out.data(), {{count, rows}, DType::kInt16, {}}})
                  .ok());
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

TEST(MapPoints, GivesTheSameInAnyShapeAndType) {
  std::vector<float> m(16);
  for (size_t i = 0; i < m.size(); ++i) {
    m[i] = static_cast<float>(i % 7) * 0.3f - 1;
  }
  const std::vector<float> t{0.5f, -2, 7, 1};
  for (int64_t columns = 1; columns <= 4; ++columns) {
    for (int64_t rows = 1; rows <= 4; ++rows) {
      const int64_t count = 700;  // more than are converted at once
      std::vector<uint8_t> bytes(static_cast<size_t>(count * columns));
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(i * 37);
      }
      const PointMap map{m, std::span(t).first(static_cast<size_t>(rows)), 4, 1};
      std::vector<float> out(static_cast<size_t>(count * rows));
      const std::vector<float> floats(bytes.begin(), bytes.end());
      std::vector<float> of_floats(out.size());
      const tensor::TensorSpec to{{count, rows}, DType::kFloat, {}};
      ASSERT_TRUE(
          map_points({bytes.data(), {{count, columns}, DType::kUint8, {}}}, map, {out.data(), to}).ok());
      ASSERT_TRUE(
          map_points({floats.data(), {{count, columns}, DType::kFloat, {}}}, map, {of_floats.data(), to})
              .ok());
      for (int64_t i = 0; i < count * rows; ++i) {
        float sum = t[static_cast<size_t>(i % rows)];
        for (int64_t column = 0; column < columns; ++column) {
          sum += m[static_cast<size_t>(i % rows * 4 + column)] *
                 floats[static_cast<size_t>(i / rows * columns + column)];
        }
        ASSERT_EQ(out[static_cast<size_t>(i)], sum) << columns << " " << rows << " " << i;
        ASSERT_EQ(of_floats[static_cast<size_t>(i)], sum);
      }
    }
  }
}

TEST(MapPoints, NeedsAsManyPoints) {
  std::vector<float> numbers(6);
  const tensor::TensorView in{numbers.data(), {{3, 2}, DType::kFloat, {}}};
  EXPECT_FALSE(map_points(in, {}, {numbers.data(), {{2, 2}, DType::kFloat, {}}}).ok());
}

}  // namespace
}  // namespace forebay::kernels
