#include "forebay/operators/windows/random_crop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::tensor_of;
using testing::values_of;

TEST(RandomCrop, StaysInsideAndInRange) {
  const RandomCropArguments arguments;
  for (uint64_t i = 0; i < 5000; ++i) {
    const CropWindow window = arguments.draw(RandomStream(7, i), 300, 400);
    ASSERT_GE(window.y, 0);
    ASSERT_GE(window.x, 0);
    ASSERT_LE(window.y + window.height, 300);
    ASSERT_LE(window.x + window.width, 400);
    const double ratio = static_cast<double>(window.width) / static_cast<double>(window.height);
    ASSERT_GE(ratio, 0.74999);
    ASSERT_LE(ratio, 1.33334);
    const double area = static_cast<double>(window.width * window.height) / (300.0 * 400.0);
    ASSERT_GT(area, 0.079);
  }
}

TEST(RandomCrop, DrawsAreasUniformlyAndRatiosLogUniformly) {
  RandomCropArguments arguments;
  arguments.random_area = {0.1F, 0.3F};  // small enough that no draw is rejected
  constexpr int kDraws = 20000;
  double area = 0;
  double area_squared = 0;
  double log_ratio = 0;
  double y = 0;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const CropWindow window = arguments.draw(RandomStream(3, i), 1000, 1000);
    const double part = static_cast<double>(window.width * window.height) / 1e6;
    area += part / kDraws;
    area_squared += part * part / kDraws;
    log_ratio += std::log(static_cast<double>(window.width) / static_cast<double>(window.height)) / kDraws;
    y += static_cast<double>(window.y) / static_cast<double>(1000 - window.height) / kDraws;
  }
  EXPECT_NEAR(area, 0.2, 0.002);
  EXPECT_NEAR(area_squared - area * area, 0.04 / 12, 0.0001);
  EXPECT_NEAR(log_ratio, 0, 0.006);
  EXPECT_NEAR(y, 0.5, 0.01);
}

TEST(RandomCrop, TakesTheNearestWindowWhereNoneFits) {
  RandomCropArguments arguments;
  arguments.random_area = {0.5F, 1.0F};
  const CropWindow wide = arguments.draw(RandomStream(1, 1), 10, 1000);
  EXPECT_EQ(wide.height, 10);
  EXPECT_EQ(wide.width, 13);
  const CropWindow tall = arguments.draw(RandomStream(1, 1), 1000, 10);
  EXPECT_EQ(tall.height, 13);
  EXPECT_EQ(tall.width, 10);
}

TEST(RandomCrop, TakesOnePixelAndNone) {
  const RandomCropArguments arguments;
  EXPECT_EQ(arguments.draw(RandomStream(1, 1), 1, 1), (CropWindow{0, 0, 1, 1}));
  EXPECT_EQ(arguments.draw(RandomStream(1, 1), 0, 5), CropWindow{});
}

TEST(RandomCropGenerator, GivesTheWindowAsData) {
  const auto out =
      run_operator("random_crop_generator", {tensor_of<int64_t>({300, 400, 3}, {3})}, {.seed = 9});
  ASSERT_TRUE(out.ok()) << out.status();
  const uint64_t key = mix64(random_key(9, 0, hash64("random_crop_generator")), 0);
  const CropWindow window = RandomCropArguments{}.draw(RandomStream(key, 0), 300, 400);
  EXPECT_THAT(values_of<int32_t>((*out)[0]), ElementsAre(window.y, window.x));
  EXPECT_THAT(values_of<int32_t>((*out)[1]), ElementsAre(window.height, window.width));
}

TEST(RandomCropGenerator, WantsAShape) {
  const auto status = run_operator("random_crop_generator", {tensor_of<float>({300, 400}, {2})}).status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("int32 or int64"));
}

}  // namespace
}  // namespace forebay::operators
