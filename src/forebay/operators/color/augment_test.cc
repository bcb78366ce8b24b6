// experimental.augment: each operation by hand on small images, and what is refused. The Python tests compare
// it with torchvision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "forebay/operators/testing/operator_harness.h"

namespace forebay::operators::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;
using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

enum : int64_t {
  kNothing,
  kBrightness,
  kContrast,
  kSaturation,
  kHue,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutocontrast,
  kEqualize,
  kInvert,
  kGrayscale,
  kGamma,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBehind,
};

Result<Bytes> augmented(const Bytes& pixels, Shape shape, Ints operations, Floats amounts,
                        std::map<std::string, Value> more = {}) {
  more["operations"] = std::move(operations);
  more["amounts"] = std::move(amounts);
  FOREBAY_ASSIGN_OR_RETURN(
      const std::vector<Tensor> outputs,
      run_operator("experimental.augment", {*Tensor::copy_of<uint8_t>(pixels, shape, "HWC")},
                   {.constants = more}));
  const std::span<const uint8_t> values = outputs[0].view().span<uint8_t>();
  return Bytes(values.begin(), values.end());
}

/// A row of grey.
Bytes grey(const Bytes& pixels, int64_t operation, double amount = 0) {
  return *augmented(pixels, {1, static_cast<int64_t>(pixels.size()), 1}, {operation}, {amount});
}

/// One colour.
Bytes colour(const Bytes& rgb, int64_t operation, double amount = 0) {
  return *augmented(rgb, {1, 1, 3}, {operation}, {amount});
}

TEST(Augment, ValuesAreCutNotRounded) {
  EXPECT_THAT(grey({0, 1, 3, 200}, kBrightness, 1.5), ElementsAre(0, 1, 4, 255));
  EXPECT_THAT(grey({0, 100}, kContrast, 0.5), ElementsAre(25, 75));  // the mean is 50
  EXPECT_THAT(colour({100, 50, 0}, kGrayscale), Each(59));           // 29.89 + 29.35
  EXPECT_THAT(colour({100, 50, 0}, kSaturation, 0), Each(59));
  EXPECT_THAT(colour({100, 50, 0}, kSaturation, 2), ElementsAre(141, 41, 0));
}

TEST(Augment, HuesTurn) {
  EXPECT_THAT(colour({255, 0, 0}, kHue, 0), ElementsAre(255, 0, 0));
  EXPECT_THAT(colour({255, 0, 0}, kHue, -1.0 / 3), ElementsAre(0, 0, 255));
  EXPECT_THAT(colour({0, 0, 255}, kHue, 0.5), ElementsAre(255, 255, 0));
  EXPECT_THAT(colour({77, 77, 77}, kHue, 0.3), Each(77));
  EXPECT_THAT(grey({3, 4}, kHue, 0.3), ElementsAre(3, 4));
}

TEST(Augment, LevelsChange) {
  EXPECT_THAT(grey({255, 37, 128}, kPosterize, 3), ElementsAre(224, 32, 128));
  EXPECT_THAT(grey({255, 37, 128}, kPosterize, 0), Each(0));
  EXPECT_THAT(grey({127, 128, 255}, kSolarize, 128), ElementsAre(127, 127, 0));
  EXPECT_THAT(grey({0, 55}, kInvert), ElementsAre(255, 200));
  EXPECT_THAT(grey({10, 20, 30}, kAutocontrast),
              ElementsAre(0, 127, 254));  // as torch: 20 / (20 * (1 / 255)) is cut
  EXPECT_THAT(grey({7, 7}, kAutocontrast), Each(7));
  EXPECT_THAT(grey({0, 255}, kGamma, 2), ElementsAre(0, 255));
  EXPECT_THAT(grey({255}, kGamma, 0.5), Each(255));
}

// The lowest level becomes 0, and the highest what is below it by the step, (pixels - those of the highest) /
// 255.
TEST(Augment, HistogramsAreLevelled) {
  Bytes pixels(510, 10);
  pixels.push_back(20);
  EXPECT_EQ(grey(pixels, kEqualize).front(), 0);
  EXPECT_EQ(grey(pixels, kEqualize).back(), 255);
  EXPECT_THAT(grey({1, 2, 3}, kEqualize), ElementsAre(1, 2, 3));  // the step would be 0
}

TEST(Augment, TheMiddleIsSharpened) {
  const Bytes dot{0, 0, 0, 0, 130, 0, 0, 0, 0};
  EXPECT_THAT(*augmented(dot, {3, 3, 1}, {kSharpness}, {0}), ElementsAre(0, 0, 0, 0, 50, 0, 0, 0, 0));
  EXPECT_THAT(*augmented(dot, {3, 3, 1}, {kSharpness}, {2}), ElementsAre(0, 0, 0, 0, 210, 0, 0, 0, 0));
  EXPECT_THAT(*augmented(dot, {3, 3, 1}, {kSharpness}, {1}), ElementsAreArray(dot));
  EXPECT_THAT(*augmented({1, 2, 3, 4}, {2, 2, 1}, {kSharpness}, {0}), ElementsAre(1, 2, 3, 4));
}

TEST(Augment, ImagesAreWarped) {
  const Bytes square{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto warped = [&](int64_t operation, double amount) {
    return *augmented(square, {3, 3, 1}, {operation}, {amount}, {{"fill_value", 77.0}});
  };
  EXPECT_THAT(warped(kTranslateX, 1.9), ElementsAre(77, 1, 2, 77, 4, 5, 77, 7, 8));
  EXPECT_THAT(warped(kTranslateY, -1), ElementsAre(4, 5, 6, 7, 8, 9, 77, 77, 77));
  EXPECT_THAT(warped(kRotate, 90), ElementsAre(3, 6, 9, 2, 5, 8, 1, 4, 7));
  EXPECT_THAT(warped(kShearX, 1), ElementsAre(2, 3, 77, 6, 77, 77, 77, 77, 77));
  EXPECT_THAT(warped(kShearY, -1), ElementsAre(1, 77, 77, 4, 2, 77, 7, 5, 3));
}

TEST(Augment, OperationsAreDoneInOrder) {
  const auto done = [](Floats order) {
    std::map<std::string, Value> more;
    if (!order.empty()) {
      more["order"] = std::move(order);
    }
    return (
        *augmented({100}, {1, 1, 1}, {kBrightness, kNothing, kInvert, kPosterize}, {0.5, 0, 0, 1}, more))[0];
  };
  EXPECT_EQ(done({}), 128);            // 50, 205, 128
  EXPECT_EQ(done({3, 0, 2, 1}), 127);  // 0, 255, 127
  EXPECT_EQ(done({1, 1, 1, 1}), 128);
}

TEST(Augment, NothingIsTheInput) {
  const Tensor in = *Tensor::copy_of<uint8_t>(Bytes{1, 2}, {1, 2, 1}, "HWC");
  const auto out = run_operator("experimental.augment", {in},
                                {.constants = {{"operations", Ints{0, 0}}, {"amounts", Floats{1, 2}}}});
  EXPECT_EQ((*out)[0].data(), in.data());
}

TEST(Augment, FloatsAreFromNothingToOne) {
  const auto done = [](std::vector<float> pixels, int64_t operation, double amount) {
    const int64_t width = static_cast<int64_t>(pixels.size());
    const auto out =
        *run_operator("experimental.augment", {*Tensor::copy_of<float>(pixels, {1, width, 1}, "HWC")},
                      {.constants = {{"operations", Ints{operation}}, {"amounts", Floats{amount}}}});
    const std::span<const float> values = out[0].view().span<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_THAT(done({0.25f, 0.75f}, kBrightness, 2), ElementsAre(0.5f, 1.0f));
  EXPECT_THAT(done({0.25f}, kInvert, 0), ElementsAre(0.75f));
  EXPECT_THAT(done({0.3f}, kPosterize, 2), ElementsAre(0.25f));
  EXPECT_THAT(done({0.25f, 0.75f}, kAutocontrast, 0), ElementsAre(0.0f, 1.0f));
  EXPECT_THAT(done({0.25f}, kGamma, 0.5), ElementsAre(FloatNear(0.5f, 1e-6f)));
  EXPECT_THAT(done({0.25f}, kEqualize, 0), ElementsAre(FloatNear(63.0f / 255.0f, 1e-6f)));
}

TEST(Augment, RefusesByName) {
  const auto error = [](Ints operations, Floats amounts, Shape shape = {1, 1, 3}) {
    return std::string(
        augmented(Bytes(static_cast<size_t>(shape.volume())), shape, operations, amounts).status().message());
  };
  EXPECT_THAT(error({kBehind}, {0}), HasSubstr("operations are 0 to 17"));
  EXPECT_THAT(error({-1}, {0}), HasSubstr("operation -1"));
  EXPECT_THAT(error({1, 2}, {0}), HasSubstr("2 operations, 1 amounts"));
  EXPECT_THAT(error({kBrightness}, {-1}), HasSubstr("0 or more"));
  EXPECT_THAT(error({kHue}, {0.6}), HasSubstr("-0.5 to 0.5"));
  EXPECT_THAT(error({kPosterize}, {9}), HasSubstr("0 to 8"));
  EXPECT_THAT(error({kInvert}, {0}, {1, 1, 2}), HasSubstr("1 or 3 channels"));
}

}  // namespace
}  // namespace forebay::operators::testing
