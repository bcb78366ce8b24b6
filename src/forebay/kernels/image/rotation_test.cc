// Rotations: about an axis, about the centres of volumes.
#include "forebay/kernels/image/rotation.h"

#include <gtest/gtest.h>

namespace forebay::kernels {
namespace {

// Applies `map` to a point in space.
std::array<float, 3> turned_point(const AffineMatrix& map, const std::array<float, 3>& point) {
  std::array<float, 3> result{};
  for (int i = 0; i < 3; ++i) {
    result[i] = map.at(i, 3);
    for (int j = 0; j < 3; ++j) {
      result[i] += map.at(i, j) * point[j];
    }
  }
  return result;
}

TEST(Rotation, InPlaneTurnsXTowardsY) {
  const AffineMatrix quarter = rotation_in_plane(radians(90));
  EXPECT_NEAR(quarter.at(0, 0), 0, 1e-6);
  EXPECT_NEAR(quarter.at(0, 1), -1, 1e-6);
  EXPECT_NEAR(quarter.at(1, 0), 1, 1e-6);
  EXPECT_NEAR(quarter.at(1, 1), 0, 1e-6);
}

TEST(Rotation, AboutZIsThatInPlane) {
  const std::array<float, 3> axis{0, 0, 2.5f};
  const AffineMatrix in_plane = rotation_in_plane(radians(33));
  for (const RotationDiagonal diagonal : {RotationDiagonal::kSquares, RotationDiagonal::kCosine}) {
    const AffineMatrix about = rotation_about(axis, radians(33), diagonal);
    EXPECT_NEAR(about.at(2, 2), 1, 1e-6);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(about.at(i, j), in_plane.at(i, j), 1e-6);
      }
    }
  }
}

TEST(Rotation, MapTurnsAboutTheCentres) {
  const std::array<int64_t, 3> in_size{4, 6, 8};
  const std::array<int64_t, 3> out_size{10, 12, 14};
  const std::array<float, 3> axis{1, -2, 0.5f};
  const auto map = rotation_map(in_size, out_size, 33, axis);
  ASSERT_TRUE(map.ok());
  const std::array<float, 3> centre = turned_point(*map, {7, 6, 5});
  EXPECT_NEAR(centre[0], 4, 1e-5);
  EXPECT_NEAR(centre[1], 3, 1e-5);
  EXPECT_NEAR(centre[2], 2, 1e-5);
  const std::array<float, 3> along = turned_point(*map, {8, 4, 5.5f});  // the axis is a fixed line
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(along[i] - centre[i], axis[i], 1e-5);
  }
}

TEST(Rotation, NeedsAnAxisInSpace) {
  const int64_t size[] = {2, 2, 2};
  const float no_axis[] = {0, 0, 0};
  EXPECT_FALSE(rotation_map(size, size, 10, no_axis).ok());
  EXPECT_FALSE(rotation_map(size, size, 10, {}).ok());
}

}  // namespace
}  // namespace forebay::kernels
