#include "forebay/ndarray/random/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "forebay/ndarray/random/random.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using testing::array_of;
using ::testing::Each;
using ::testing::ElementsAreArray;
using testing::values_of;

TEST(SamplingTest, ASeedGivesTheSameNumbers) {
  seed_random(5);
  const std::vector<double> first = values_of(*sample(Distribution::kGamma, 2, 1, {{10000}}));
  EXPECT_NE(values_of(*sample(Distribution::kGamma, 2, 1, {{10000}})), first);
  seed_random(5);
  EXPECT_THAT(values_of(*sample(Distribution::kGamma, 2, 1, {{10000}})), ElementsAreArray(first));
}

TEST(SamplingTest, EachParameterHasItsNumbers) {
  const Array parameters[] = {array_of({0, 100}, {2}), array_of({0, 0}, {2})};
  const Array drawn = *sample(Distribution::kNormal, parameters, {3}, tensor::DType::kFloat);
  EXPECT_EQ(drawn.shape(), (tensor::Shape{2, 3}));
  EXPECT_THAT(values_of(drawn), ElementsAreArray({0, 0, 0, 100, 100, 100}));
}

TEST(SamplingTest, CategoriesOfEachLine) {
  const Array weights = array_of({0, 1, 1, 0}, {2, 2});
  const Array drawn = *sample_categories(weights, {4}, tensor::DType::kInt32);
  EXPECT_EQ(drawn.shape(), (tensor::Shape{2, 4}));
  EXPECT_THAT(values_of(drawn), ElementsAreArray({1, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(sample_categories(array_of({-1, 1}, {2}), {4}, tensor::DType::kInt32)->wait().code(),
            StatusCode::kInvalidArgument);
}

TEST(SamplingTest, APermutationHoldsEachNumberOnce) {
  std::vector<double> order = values_of(*random_permutation(50));
  std::vector<double> counted(50);
  std::iota(counted.begin(), counted.end(), 0);
  EXPECT_NE(order, counted);
  std::ranges::sort(order);
  EXPECT_EQ(order, counted);
}

}  // namespace
}  // namespace forebay::ndarray
