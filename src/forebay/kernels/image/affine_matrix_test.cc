// Affine matrices: joined, inverted, with a point that stays.
#include "forebay/kernels/image/affine_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace forebay::kernels {
namespace {

using ::testing::ElementsAre;

std::vector<float> rows_of(const AffineMatrix& matrix) {
  std::vector<float> rows(static_cast<size_t>(matrix.dimensions() * (matrix.dimensions() + 1)));
  matrix.write(rows);
  return rows;
}

AffineMatrix in_plane(std::vector<float> rows) {
  return AffineMatrix::of_rows(2, rows);
}

AffineMatrix in_space(std::vector<float> rows) {
  return AffineMatrix::of_rows(3, rows);
}

void expect_inverse(const AffineMatrix& map) {
  const auto inverse = map.inverted();
  ASSERT_TRUE(inverse.ok());
  const std::vector<float> identity = rows_of(AffineMatrix(map.dimensions()));
  for (const AffineMatrix& both :
       {AffineMatrix::composed(*inverse, map), AffineMatrix::composed(map, *inverse)}) {
    const std::vector<float> found = rows_of(both);
    for (size_t i = 0; i < identity.size(); ++i) {
      EXPECT_NEAR(found[i], identity[i], 1e-5);
    }
  }
}

TEST(AffineMatrix, IsTheIdentityUntilItIsSet) {
  EXPECT_THAT(rows_of(AffineMatrix(1)), ElementsAre(1, 0));
  EXPECT_THAT(rows_of(AffineMatrix(2)), ElementsAre(1, 0, 0, 0, 1, 0));
}

TEST(AffineMatrix, ComposesInOrder) {
  const AffineMatrix doubled = in_plane({2, 0, 0, 0, 2, 0});
  const AffineMatrix moved = in_plane({1, 0, 3, 0, 1, 4});
  EXPECT_THAT(rows_of(AffineMatrix::composed(doubled, moved)), ElementsAre(2, 0, 6, 0, 2, 8));
  EXPECT_THAT(rows_of(AffineMatrix::composed(moved, doubled)), ElementsAre(2, 0, 3, 0, 2, 4));
}

TEST(AffineMatrix, KeepsACentre) {
  AffineMatrix doubled = in_plane({2, 0, 0, 0, 3, 0});
  doubled.keep({});
  EXPECT_THAT(rows_of(doubled), ElementsAre(2, 0, 0, 0, 3, 0));
  doubled.keep(std::vector<float>{5, 7});
  EXPECT_THAT(rows_of(doubled), ElementsAre(2, 0, -5, 0, 3, -14));
  doubled.keep(std::vector<float>{1});
  EXPECT_THAT(rows_of(doubled), ElementsAre(2, 0, -1, 0, 3, -2));
}

TEST(AffineMatrix, InverseLeadsBack) {
  expect_inverse(in_plane({1.1f, 0.3f, -4.7f, -0.2f, 0.9f, 6.1f}));
  expect_inverse(in_plane({0, 2, 1, -1, 0, 5}));
  expect_inverse(in_space({0.1f, 1.1f, 0, 1, 0.9f, 0, 0.1f, 0, 0.1f, 0, 1.1f, -1}));  // rows change places
  expect_inverse(in_space({0, 0, 2, 1, 3, 0, 0, 2, 0, -1, 0, 3}));
}

TEST(AffineMatrix, SingularOnesHaveNoInverse) {
  EXPECT_FALSE(in_plane({1, 2, 0, 2, 4, 0}).inverted().ok());
  EXPECT_FALSE(in_plane({0, 0, 0, 0, 0, 0}).inverted().ok());
  EXPECT_FALSE(in_space({1, 2, 3, 0, 0, 0, 0, 0, 1, 0, 1, 0}).inverted().ok());
}

}  // namespace
}  // namespace forebay::kernels
