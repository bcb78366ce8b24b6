#include "forebay/kernels/image/affine_map.h"

#include <gtest/gtest.h>

namespace forebay::kernels {
namespace {

// Applies `map` to the point.
std::array<float, 3> mapped(const AffineMap& map, const std::array<float, 3>& point) {
  std::array<float, 3> result{};
  for (int i = 0; i < map.dimensions; ++i) {
    result[i] = map.matrix[i][map.dimensions];
    for (int j = 0; j < map.dimensions; ++j) {
      result[i] += map.matrix[i][j] * point[j];
    }
  }
  return result;
}

void expect_inverse(const AffineMap& map) {
  const auto inverse = inverted(map);
  ASSERT_TRUE(inverse.ok());
  const std::array<float, 3> point{3, -7, map.dimensions == 3 ? 11.0f : 0.0f};
  const std::array<float, 3> back = mapped(*inverse, mapped(map, point));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(back[i], point[i], 1e-4);
  }
}

TEST(AffineMap, InverseLeadsBack) {
  expect_inverse({.dimensions = 2, .matrix = {{{1.1f, 0.3f, -4.7f}, {-0.2f, 0.9f, 6.1f}}}});
  expect_inverse({.dimensions = 2, .matrix = {{{0, 2, 1}, {-1, 0, 5}}}});
  expect_inverse(
      {.dimensions = 3,
       .matrix = {{{0.1f, 1.1f, 0, 1}, {0.9f, 0, 0.1f, 0}, {0.1f, 0, 1.1f, -1}}}});  // requires swapping rows
  expect_inverse({.dimensions = 3, .matrix = {{{0, 0, 2, 1}, {3, 0, 0, 2}, {0, -1, 0, 3}}}});
}

TEST(AffineMap, SingularMapsAreRefused) {
  EXPECT_FALSE(inverted({.dimensions = 2, .matrix = {{{1, 2, 0}, {2, 4, 0}}}}).ok());
  EXPECT_FALSE(inverted({.dimensions = 3, .matrix = {{{1, 2, 3, 0}, {0, 0, 0, 0}, {1, 0, 1, 0}}}}).ok());
}

TEST(AffineMap, RotationTurnsAboutTheCentres) {
  const std::array<int64_t, 3> in_size{4, 6, 8};
  const std::array<int64_t, 3> out_size{10, 12, 14};
  const std::array<float, 3> axis{1, -2, 0.5f};
  const auto map = rotation_map(in_size, out_size, 33, axis);
  ASSERT_TRUE(map.ok());
  const std::array<float, 3> centre = mapped(*map, {7, 6, 5});
  EXPECT_NEAR(centre[0], 4, 1e-5);
  EXPECT_NEAR(centre[1], 3, 1e-5);
  EXPECT_NEAR(centre[2], 2, 1e-5);
  const std::array<float, 3> along = mapped(*map, {8, 4, 5.5f});  // the axis is a fixed line
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(along[i] - centre[i], axis[i], 1e-5);
  }
}

}  // namespace
}  // namespace forebay::kernels
