// random.uniform, random.normal, random.coin_flip, random.choice: shapes, types, distributions,
// repeatability.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

constexpr int64_t kMany = 40000;

Tensor drawn(const char* name, Given given, std::vector<Tensor> inputs = {}) {
  auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string random_error(const char* name, Given given, std::vector<Tensor> inputs = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

/// The largest distance between the empirical distribution of `values` and `distribution` (Kolmogorov and
/// Smirnov). For n values it exceeds 1.95 / sqrt(n) with probability 0.001.
template <class F>
double distance(std::vector<float> values, F distribution) {
  std::ranges::sort(values);
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = distribution(values[i]);
    const auto n = static_cast<double>(values.size());
    largest = std::max({largest, std::fabs(expected - i / n), std::fabs(expected - (i + 1) / n)});
  }
  return largest;
}

TEST(RandomUniform, IsAScalarFloatByDefault) {
  const Tensor out = drawn("random.uniform", {});
  EXPECT_EQ(out.spec(), (TensorSpec{Shape(), DType::kFloat, {}}));
  EXPECT_GE(values_of<float>(out)[0], -1);
  EXPECT_LT(values_of<float>(out)[0], 1);
}

TEST(RandomUniform, FollowsTheUniformDistribution) {
  const Tensor out = drawn("random.uniform", {.constants = {{"range", Floats{2, 5}}, {"shape", kMany}}});
  const double found = distance(values_of<float>(out), [](double x) { return (x - 2) / 3; });
  EXPECT_LT(found, 1.95 / std::sqrt(kMany));
}

TEST(RandomUniform, PicksEvenlyFromValues) {
  const Tensor out =
      drawn("random.uniform", {.constants = {{"values", Floats{1, 5.5, 9}}, {"shape", kMany}}});
  std::map<float, int> counts;
  for (const float value : values_of<float>(out)) {
    ++counts[value];
  }
  ASSERT_EQ(counts.size(), 3);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count, kMany / 3.0, 500) << value;
  }
}

TEST(RandomUniform, TakesShapeFromArgumentsAndInputs) {
  EXPECT_EQ(drawn("random.uniform", {.constants = {{"shape", Ints{2, 3}}}}).shape(), (Shape{2, 3}));
  EXPECT_EQ(drawn("random.uniform", {.constants = {{"shape", Ints{}}}}).shape(), Shape());
  EXPECT_EQ(drawn("random.uniform", {}, {counted<uint8_t>({4, 5}, "HW")}).shape(), (Shape{4, 5}));
  EXPECT_EQ(drawn("random.uniform", {.tensors = {{"shape", tensor_of<int32_t>({3, 0}, {2})}}}).shape(),
            (Shape{3, 0}));
  EXPECT_THAT(random_error("random.uniform", {.constants = {{"shape", int64_t{3}}}}, {counted<uint8_t>({4})}),
              HasSubstr("given twice"));
  EXPECT_THAT(random_error("random.uniform", {.constants = {{"shape", Ints{-1}}}}), HasSubstr("no tensor"));
}

TEST(RandomUniform, RoundsToIntegers) {
  const Tensor out =
      drawn("random.uniform",
            {.constants = {{"range", Floats{-10, 300}}, {"shape", int64_t{1000}}, {"dtype", int64_t{0}}}});
  ASSERT_EQ(out.dtype(), DType::kUint8);
  EXPECT_THAT(values_of<uint8_t>(out), ::testing::Contains(0));
  EXPECT_THAT(values_of<uint8_t>(out), ::testing::Contains(255));
}

TEST(RandomUniform, RefusesEmptyRanges) {
  EXPECT_THAT(random_error("random.uniform", {.constants = {{"range", Floats{1, 1}}}}), HasSubstr("empty"));
  EXPECT_THAT(random_error("random.uniform", {.constants = {{"range", Floats{1, 2, 3}}}}),
              HasSubstr("two numbers"));
  EXPECT_THAT(random_error("random.uniform", {.tensors = {{"range", tensor_of<float>({2, 1}, {2})}}}),
              HasSubstr("empty"));
}

TEST(RandomUniform, DependsOnSeedEpochAndPositionOnly) {
  const auto value = [](uint64_t seed, int64_t epoch, int64_t position, int in_batch) {
    Given given{.seed = seed};
    given.identity = {.epoch = epoch, .position = position, .index_in_batch = in_batch};
    return values_of<float>(drawn("random.uniform", given))[0];
  };
  EXPECT_EQ(value(1, 2, 3, 0), value(1, 2, 3, 7));
  EXPECT_NE(value(1, 2, 3, 0), value(2, 2, 3, 0));
  EXPECT_NE(value(1, 2, 3, 0), value(1, 3, 3, 0));
  EXPECT_NE(value(1, 2, 3, 0), value(1, 2, 4, 0));
}

TEST(RandomNormal, FollowsTheNormalDistribution) {
  const Tensor out =
      drawn("random.normal", {.constants = {{"mean", 3.0}, {"stddev", 2.0}, {"shape", kMany}}});
  const double found = distance(values_of<float>(out),
                                [](double x) { return 0.5 * std::erfc(-(x - 3) / 2 / std::sqrt(2.0)); });
  EXPECT_LT(found, 1.95 / std::sqrt(kMany));
}

TEST(RandomNormal, TakesATensorForEachParameter) {
  const Tensor out =
      drawn("random.normal", {.tensors = {{"mean", scalar_of(7.0f)}, {"stddev", scalar_of(0.0f)}}});
  EXPECT_THAT(values_of<float>(out), ElementsAre(7.0f));
}

TEST(RandomCoinFlip, HasTheProbabilityAsked) {
  const Tensor out = drawn("random.coin_flip", {.constants = {{"probability", 0.3}, {"shape", kMany}}});
  ASSERT_EQ(out.dtype(), DType::kInt32);
  const std::vector<int32_t> values = values_of<int32_t>(out);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0), 0.3 * kMany, 400);
  EXPECT_LE(*std::ranges::max_element(values), 1);
}

TEST(RandomCoinFlip, KnowsNeverAndAlways) {
  for (const double probability : {0.0, 1.0}) {
    const Tensor out =
        drawn("random.coin_flip", {.constants = {{"probability", probability},
                                                 {"shape", int64_t{100}},
                                                 {"dtype", static_cast<int64_t>(DType::kBool)}}});
    EXPECT_THAT(values_of<bool>(out), ::testing::Each(probability == 1.0));
  }
}

TEST(RandomChoice, PicksNumbersBelowN) {
  const Tensor out = drawn("random.choice", {.constants = {{"shape", kMany}}}, {scalar_of<uint8_t>(4)});
  ASSERT_EQ(out.dtype(), DType::kUint8);
  std::map<int, int> counts;
  for (const uint8_t value : values_of<uint8_t>(out)) {
    ++counts[value];
  }
  ASSERT_EQ(counts.size(), 4);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count, kMany / 4.0, 450) << value;
  }
}

TEST(RandomChoice, FollowsProbabilities) {
  const Tensor out =
      drawn("random.choice", {.constants = {{"shape", kMany}, {"p", Floats{0.5, 0, 0.25, 0.25}}}},
            {tensor_of<int16_t>({5, 6, 7, 8}, {4})});
  std::map<int, int> counts;
  for (const int16_t value : values_of<int16_t>(out)) {
    ++counts[value];
  }
  EXPECT_FALSE(counts.contains(6));
  EXPECT_NEAR(counts[5], kMany * 0.5, 500);
  EXPECT_NEAR(counts[8], kMany * 0.25, 450);
}

TEST(RandomChoice, PicksSlicesWithTheirLayout) {
  const Tensor from = counted<uint8_t>({2, 4, 3}, "HWC");
  const Tensor one = drawn("random.choice", {}, {from});
  EXPECT_EQ(one.shape(), (Shape{4, 3}));
  EXPECT_EQ(one.layout(), Layout("WC"));
  EXPECT_THAT(values_of<uint8_t>(one)[0], ::testing::AnyOf(0, 12));
  const Tensor row = drawn("random.choice", {.constants = {{"shape", 5}}}, {from});
  EXPECT_EQ(row.spec(), (TensorSpec{{5, 4, 3}, DType::kUint8, "HWC"}));
  EXPECT_EQ(drawn("random.choice", {.constants = {{"shape", Ints{5, 6}}}}, {from}).shape(),
            (Shape{5, 6, 4, 3}));
  EXPECT_EQ(drawn("random.choice", {}, {scalar_of(5), from}).shape(), (Shape{2, 4, 3}));
}

TEST(RandomChoice, NamesWhatIsWrong) {
  EXPECT_THAT(random_error("random.choice", {}, {scalar_of(0)}), HasSubstr("nothing to choose"));
  EXPECT_THAT(random_error("random.choice", {}, {scalar_of(2.0f)}), HasSubstr("must be an integer"));
  EXPECT_THAT(random_error("random.choice", {.constants = {{"p", Floats{0.5, 0.2}}}}, {scalar_of(2)}),
              HasSubstr("sum up"));
  EXPECT_THAT(random_error("random.choice", {.constants = {{"p", Floats{1}}}}, {scalar_of(2)}),
              HasSubstr("1 prob"));
  EXPECT_THAT(random_error("random.choice", {.constants = {{"p", Floats{-1, 2}}}}, {scalar_of(2)}),
              HasSubstr("not a probability"));
}

}  // namespace
}  // namespace forebay::operators::testing
