#include "forebay/kernels/random/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace forebay::kernels {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(Distribution distribution, double first, double second) {
  constexpr int kCount = 40000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    RandomStream stream(99, static_cast<uint64_t>(i));
    const double value = draw(distribution, stream, first, second);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kCount;
  return {mean, squares / kCount - mean * mean};
}

void expect_moments(Distribution distribution, double first, double second, double mean, double variance) {
  const Moments got = moments_of(distribution, first, second);
  EXPECT_NEAR(got.mean, mean, 5 * std::sqrt(variance / 40000)) << name_of(distribution) << " " << first;
  EXPECT_NEAR(got.variance / variance, 1, 0.08) << name_of(distribution) << " " << first;
}

TEST(DistributionsTest, HaveTheirMeanAndVariance) {
  expect_moments(Distribution::kUniform, -1, 3, 1, 16.0 / 12);
  expect_moments(Distribution::kNormal, 2, 3, 2, 9);
  expect_moments(Distribution::kExponential, 4, 0, 0.25, 1.0 / 16);
  expect_moments(Distribution::kGamma, 3, 2, 6, 12);
  expect_moments(Distribution::kGamma, 0.5, 1, 0.5, 0.5);
  expect_moments(Distribution::kPoisson, 3, 0, 3, 3);
  expect_moments(Distribution::kPoisson, 50, 0, 50, 50);
  expect_moments(Distribution::kNegativeBinomial, 3, 0.4, 4.5, 4.5 / 0.4);
  expect_moments(Distribution::kGeneralizedNegativeBinomial, 2, 0.3, 2, 2 + 0.3 * 4);
}

TEST(DistributionsTest, ParametersWithoutMeaningGiveNoNumber) {
  RandomStream stream(1, 1);
  EXPECT_TRUE(std::isnan(draw(Distribution::kPoisson, stream, -1, 0)));
  EXPECT_TRUE(std::isnan(draw(Distribution::kGamma, stream, -1, 1)));
  EXPECT_TRUE(std::isnan(draw(Distribution::kExponential, stream, -1, 0)));
}

TEST(DistributionsTest, CategoriesComeByTheirWeight) {
  const std::vector<double> cumulative = {0.1, 0.1, 0.4, 1.0};  // the second has weight 0
  std::vector<int> counts(4);
  for (int i = 0; i < 40000; ++i) {
    RandomStream stream(5, static_cast<uint64_t>(i));
    ++counts[static_cast<size_t>(draw_category(stream, cumulative))];
  }
  EXPECT_NEAR(counts[0] / 40000.0, 0.1, 0.01);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[3] / 40000.0, 0.6, 0.015);
}

TEST(DistributionsTest, EachPlaceOfAPermutationIsEquallyLikely) {
  int counts[3][3] = {};
  for (int i = 0; i < 9000; ++i) {
    RandomStream stream(7, static_cast<uint64_t>(i));
    std::vector<int64_t> order(3);
    permute(stream, order);
    for (size_t place = 0; place < 3; ++place) {
      ++counts[place][order[place]];
    }
  }
  for (const auto& row : counts) {
    for (const int count : row) {
      EXPECT_NEAR(count, 3000, 250);
    }
  }
}

}  // namespace
}  // namespace forebay::kernels
