// Products and inverses of 3 x 3 matrices.
#include "forebay/kernels/linear_algebra/matrix3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::kernels {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Matrix3, ProductTakesRowsByColumns) {
  const Matrix3<float> a{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  const Matrix3<float> shifted{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  EXPECT_EQ(product(a, shifted), (Matrix3<float>{{{3, 1, 2}, {6, 4, 5}, {9, 7, 8}}}));
  EXPECT_EQ(product(shifted, a), (Matrix3<float>{{{4, 5, 6}, {7, 8, 9}, {1, 2, 3}}}));
}

TEST(Matrix3, InverseLeadsBack) {
  const Matrix3<double> m{{{2, -1, 0.5}, {0.25, 3, 1}, {-4, 0, 1}}};
  const auto inverse = inverse_of(m);
  ASSERT_TRUE(inverse);
  const auto near = [](double value) { return DoubleNear(value, 1e-12); };
  EXPECT_THAT(product(m, *inverse),
              ElementsAre(ElementsAre(near(1), near(0), near(0)), ElementsAre(near(0), near(1), near(0)),
                          ElementsAre(near(0), near(0), near(1))));
}

TEST(Matrix3, SingularOnesHaveNoInverse) {
  EXPECT_FALSE(inverse_of(Matrix3<double>{{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}}));
  EXPECT_FALSE(inverse_of(Matrix3<float>{}));
}

}  // namespace
}  // namespace forebay::kernels
