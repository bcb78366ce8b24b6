// noise.*: distributions, channels, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kNoiseCount = 40000;

template <class T>
std::vector<T> noised(const std::string& name, T value, const Given& given = {}) {
  const auto out =
      run_operator(name, {tensor_of<T>(std::vector<T>(kNoiseCount, value), {kNoiseCount})}, given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? values_of<T>((*out)[0]) : std::vector<T>();
}

template <class T>
std::pair<double, double> mean_and_deviation(const std::vector<T>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double mean = sum / static_cast<double>(values.size());
  return {mean, std::sqrt(squares / static_cast<double>(values.size()) - mean * mean)};
}

TEST(GaussianNoise, HasMeanAndDeviation) {
  const Given given{.constants = {{"mean", 3.0}, {"stddev", 10.0}}};
  const auto [mean, deviation] = mean_and_deviation(noised<float>("noise.gaussian", 100, given));
  EXPECT_NEAR(mean, 103, 0.3);
  EXPECT_NEAR(deviation, 10, 0.2);
  EXPECT_THAT(noised<uint8_t>("noise.gaussian", 250, {.constants = {{"mean", 100.0}}}), Each(255));
}

TEST(ShotNoise, CountsPhotons) {
  const std::vector<float> values = noised<float>("noise.shot", 100);
  const auto [mean, deviation] = mean_and_deviation(values);
  EXPECT_NEAR(mean, 100, 1.2);
  EXPECT_NEAR(deviation, std::sqrt(100 * 20), 0.8);
  for (const float value : values) {
    ASSERT_EQ(std::fmod(value, 20.0f), 0);
  }
  EXPECT_THAT(noised<float>("noise.shot", -5), Each(0));
  EXPECT_THAT(noised<float>("noise.shot", 5, {.constants = {{"factor", 0.0}}}), Each(0));
  EXPECT_THAT(message(run_operator("noise.shot", {scalar_of(1)}, {.constants = {{"factor", -1.0}}}).status()),
              HasSubstr("-1"));
}

TEST(SaltAndPepper, ReplacesByTheTypesLimits) {
  const Given given{.constants = {{"prob", 1.0}, {"salt_vs_pepper", 1.0}}};
  EXPECT_THAT(noised<int16_t>("noise.salt_and_pepper", 100, given), Each(INT16_MAX));
  const Given pepper{.constants = {{"prob", 1.0}, {"salt_vs_pepper", 0.0}}};
  EXPECT_THAT(noised<int16_t>("noise.salt_and_pepper", 100, pepper), Each(INT16_MIN));
  EXPECT_THAT(noised<int16_t>("noise.salt_and_pepper", 100, {.constants = {{"prob", 0.0}}}), Each(100));
}

TEST(SaltAndPepper, DrawsForPixelsOrChannels) {
  const Tensor image = tensor_of<float>(std::vector<float>(3 * kNoiseCount, 9), {kNoiseCount, 3});
  Given given{.constants = {{"prob", 0.3}, {"salt_vs_pepper", 0.25}}};
  const auto count = [&](float value, bool of_pixels) {
    const auto out = run_operator("noise.salt_and_pepper", {image}, given);
    EXPECT_TRUE(out.ok()) << out.status();
    const std::vector<float> values = values_of<float>((*out)[0]);
    int64_t found = 0;
    for (size_t i = 0; i < values.size(); i += 3) {
      const int64_t here = std::count(&values[i], &values[i] + 3, value);
      found += of_pixels ? (here == 3 ? 1 : 0) : here;
    }
    return found;
  };
  EXPECT_NEAR(count(1, true), 0.075 * kNoiseCount, 250);
  EXPECT_NEAR(count(-1, true), 0.225 * kNoiseCount, 400);
  EXPECT_EQ(count(1, false), 3 * count(1, true));
  given.constants["per_channel"] = true;
  EXPECT_NEAR(count(1, false), 3 * 0.075 * kNoiseCount, 450);
  EXPECT_LT(count(1, true), 100);
  given.constants["salt_val"] = 7.0;
  EXPECT_NEAR(count(7, false), 3 * 0.075 * kNoiseCount, 450);
}

TEST(SaltAndPepper, RefusesWhatIsNoProbability) {
  for (const char* name : {"prob", "salt_vs_pepper"}) {
    EXPECT_THAT(
        message(run_operator("noise.salt_and_pepper", {scalar_of(1)}, {.constants = {{name, 1.5}}}).status()),
        HasSubstr("probabilities"));
  }
}

}  // namespace
}  // namespace forebay::operators::testing
