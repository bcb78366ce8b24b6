// random.beta and batch_permutation: distributions, and orders of batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RandomBeta, HasMeanAndVariance) {
  for (const auto& [alpha, beta] : {std::pair{0.5, 0.5}, std::pair{2.0, 5.0}, std::pair{1.0, 1.0}}) {
    const Given given{.constants = {{"alpha", alpha}, {"beta", beta}, {"shape", int64_t{40000}}}};
    const auto out = run_operator("random.beta", {}, given);
    ASSERT_TRUE(out.ok()) << out.status();
    double sum = 0;
    double squares = 0;
    for (const float value : values_of<float>((*out)[0])) {
      ASSERT_TRUE(value >= 0 && value <= 1) << value;
      sum += value;
      squares += double{value} * value;
    }
    const double mean = sum / 40000;
    const double total = alpha + beta;
    EXPECT_NEAR(mean, alpha / total, 0.01);
    EXPECT_NEAR(squares / 40000 - mean * mean, alpha * beta / (total * total * (total + 1)), 0.005);
  }
}

TEST(RandomBeta, NamesWhatIsWrong) {
  EXPECT_THAT(message(run_operator("random.beta", {}, {.constants = {{"alpha", 0.0}}}).status()),
              HasSubstr("positive"));
  EXPECT_THAT(message(run_operator("random.beta", {}, {.constants = {{"dtype", int64_t{0}}}}).status()),
              HasSubstr("FLOAT64"));
}

std::vector<int32_t> order_of(size_t size, std::map<std::string, Value> constants, uint64_t seed) {
  const std::vector<std::vector<Tensor>> inputs(size);
  const auto out =
      run_operator_batch("batch_permutation", inputs, {.constants = std::move(constants), .seed = seed});
  EXPECT_TRUE(out.ok()) << out.status();
  std::vector<int32_t> order;
  for (const std::vector<Tensor>& sample : *out) {
    order.push_back(values_of<int32_t>(sample[0])[0]);
  }
  return order;
}

TEST(BatchPermutation, IsAPermutation) {
  EXPECT_THAT(order_of(5, {}, 1), ::testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_NE(order_of(20, {}, 1), order_of(20, {}, 2));
  EXPECT_EQ(order_of(20, {}, 1), order_of(20, {}, 1));
}

TEST(BatchPermutation, AvoidsFixedPoints) {
  for (const bool repeats : {false, true}) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const std::vector<int32_t> order =
          order_of(4, {{"no_fixed_points", true}, {"allow_repetitions", repeats}}, seed);
      for (int i = 0; i < 4; ++i) {
        EXPECT_NE(order[static_cast<size_t>(i)], i);
      }
    }
    EXPECT_THAT(order_of(1, {{"no_fixed_points", true}, {"allow_repetitions", repeats}}, 1), ElementsAre(0));
  }
}

TEST(BatchPermutation, DrawsAllNumbersWithRepetitions) {
  std::map<int32_t, int> counts;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    for (const int32_t value : order_of(4, {{"allow_repetitions", true}}, seed)) {
      ++counts[value];
    }
  }
  ASSERT_EQ(counts.size(), 4);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count, 500, 80) << value;
  }
}

}  // namespace
}  // namespace forebay::operators::testing
