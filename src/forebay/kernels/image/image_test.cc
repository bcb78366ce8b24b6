// crop_mirror_normalize, colours, warps and Pillow's resize against slow references and recorded values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "forebay/kernels/image/color.h"
#include "forebay/kernels/image/crop_mirror_normalize.h"
#include "forebay/kernels/image/rotation.h"
#include "forebay/kernels/image/warp.h"
#include "forebay/kernels/resampling/pillow_resize.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Float16;
using tensor::Shape;
using ::testing::ElementsAre;

std::vector<uint8_t> image_noise(size_t size) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random());
  }
  return bytes;
}

struct CropCase {
  std::array<int64_t, 3> anchor;
  int64_t height, width;
  bool mirror, planar_in, planar_out;
  int out_channels;
};

class CropMirrorNormalize : public ::testing::TestWithParam<CropCase> {};

TEST_P(CropMirrorNormalize, EqualsTheFormula) {
  const CropCase& p = GetParam();
  constexpr int64_t kHeight = 20;
  constexpr int64_t kWidth = 45;
  const auto in = image_noise(kHeight * kWidth * 3);
  const float mean[] = {100, 110, 120};
  const float std[] = {50, 60, 70};
  std::vector<float> fill(p.out_channels);
  for (int c = 0; c < p.out_channels; ++c) {
    fill[c] = 1000.0f + c;
  }
  CropMirrorNormalizeOptions options;
  options.anchor = p.anchor;
  options.shape = {1, p.height, p.width};
  options.mirror = p.mirror;
  options.constants = *make_normalize_constants(mean, std, 2, 0.5f, 3);
  options.fill = fill;
  options.out_channels = p.out_channels;
  const Shape out_shape =
      p.planar_out ? Shape{p.out_channels, p.height, p.width} : Shape{p.height, p.width, p.out_channels};
  std::vector<float> out(out_shape.volume());
  const Shape in_shape = p.planar_in ? Shape{3, kHeight, kWidth} : Shape{kHeight, kWidth, 3};
  const Status status =
      crop_mirror_normalize({in.data(), {in_shape, DType::kUint8, p.planar_in ? "CHW" : "HWC"}}, options,
                            {out.data(), {out_shape, DType::kFloat, p.planar_out ? "CHW" : "HWC"}});
  ASSERT_TRUE(status.ok()) << status;
  for (int64_t y = 0; y < p.height; ++y) {
    for (int64_t x = 0; x < p.width; ++x) {
      for (int c = 0; c < p.out_channels; ++c) {
        const int64_t sy = y + p.anchor[1];
        const int64_t sx = x + p.anchor[2];
        float expected = fill[c];
        if (c < 3 && sy >= 0 && sy < kHeight && sx >= 0 && sx < kWidth) {
          const float value = in[p.planar_in ? (c * kHeight + sy) * kWidth + sx : (sy * kWidth + sx) * 3 + c];
          expected = (value - mean[c]) * (2 / std[c]) + 0.5f;
        }
        const int64_t to = p.mirror ? p.width - 1 - x : x;
        ASSERT_EQ(
            out[p.planar_out ? (c * p.height + y) * p.width + to : (y * p.width + to) * p.out_channels + c],
            expected)
            << y << " " << x << " " << c;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CropMirrorNormalize,
                         ::testing::Values(CropCase{{0, 2, 3}, 10, 37, false, false, true, 3},
                                           CropCase{{0, 2, 3}, 10, 37, true, false, true, 4},
                                           CropCase{{0, 0, 0}, 20, 45, false, false, false, 3},
                                           CropCase{{0, -3, 20}, 15, 40, true, false, true, 3},
                                           CropCase{{0, 5, -8}, 30, 60, true, false, false, 4},
                                           CropCase{{0, 1, 1}, 10, 37, true, true, true, 3},
                                           CropCase{{0, 1, 1}, 10, 37, true, true, false, 3},
                                           CropCase{{0, 30, 0}, 2, 5, false, true, false, 3}));

TEST(CropMirrorNormalize, SameBitsOnEveryTargetForEveryType) {
  const auto in = image_noise(8 * 100 * 3);
  const std::vector<float> mean{120, 110, 100};
  const std::vector<float> std{1.7f, 1.3f, 0.9f};
  for (const DType dtype : {DType::kFloat, DType::kFloat16, DType::kUint8, DType::kInt8}) {
    std::vector<std::vector<std::byte>> results;
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      auto& out = results.emplace_back(8 * 100 * 3 * tensor::size_of(dtype));
      CropMirrorNormalizeOptions options;
      options.shape = {1, 8, 100};
      options.mirror = true;
      options.out_channels = 3;
      options.constants = *make_normalize_constants(mean, std, 1, 0.1f, 3);
      ASSERT_TRUE(crop_mirror_normalize({in.data(), {Shape{8, 100, 3}, DType::kUint8, "HWC"}}, options,
                                        {out.data(), {Shape{3, 8, 100}, dtype, "CHW"}})
                      .ok());
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const auto& result : results) {
      EXPECT_EQ(result, results[0]) << tensor::name_of(dtype);
    }
  }
}

TEST(CropMirrorNormalize, RefusesWhatDoesNotFit) {
  const auto in = image_noise(48);
  std::vector<float> out(48);
  CropMirrorNormalizeOptions options;
  options.shape = {1, 4, 4};
  options.out_channels = 3;
  const tensor::TensorView source{in.data(), {Shape{4, 4, 3}, DType::kUint8, "HWC"}};
  EXPECT_FALSE(
      crop_mirror_normalize(source, options, {out.data(), {Shape{3, 4, 5}, DType::kFloat, "CHW"}}).ok());
  EXPECT_FALSE(
      crop_mirror_normalize(source, options, {out.data(), {Shape{3, 4, 4}, DType::kInt32, "CHW"}}).ok());
  EXPECT_FALSE(
      crop_mirror_normalize(source, options, {out.data(), {Shape{3, 4, 4}, DType::kFloat, "CHH"}}).ok());
  const std::vector<float> two{1, 2};
  EXPECT_FALSE(make_normalize_constants(two, two, 1, 0, 3).ok());
}

// Values recorded from nvidia-dali 2.4 (CPU).
TEST(Color, ConversionsOfRecordedValues) {
  const std::vector<uint8_t> rgb{255, 0, 0, 10, 100, 200, 37, 201, 5};
  std::vector<uint8_t> out(9);
  const Shape shape{3, 3};
  const tensor::TensorView in{rgb.data(), {shape, DType::kUint8, {}}};
  ASSERT_TRUE(
      convert_color_space(in, ColorSpace::kRgb, ColorSpace::kYCbCr, {out.data(), {shape, DType::kUint8, {}}})
          .ok());
  EXPECT_THAT(out, ElementsAre(81, 90, 240, 89, 185, 81, 127, 66, 70));
  ASSERT_TRUE(
      convert_color_space(in, ColorSpace::kYCbCr, ColorSpace::kRgb, {out.data(), {shape, DType::kUint8, {}}})
          .ok());
  EXPECT_THAT(out, ElementsAre(74, 255, 20, 108, 0, 0, 0, 96, 172));
  std::vector<uint8_t> gray(3);
  ASSERT_TRUE(convert_color_space(in, ColorSpace::kRgb, ColorSpace::kGray,
                                  {gray.data(), {Shape{3, 1}, DType::kUint8, {}}})
                  .ok());
  EXPECT_THAT(gray, ElementsAre(76, 84, 130));
  EXPECT_FALSE(
      convert_color_space(in, ColorSpace::kGray, ColorSpace::kRgb, {out.data(), {shape, DType::kUint8, {}}})
          .ok());
}

TEST(Color, TwistAndContrastOfRecordedValues) {
  const std::vector<uint8_t> rgb{255, 0, 0, 10, 100, 200};
  std::vector<float> out(6);
  const ColorTwist twist{.hue = 30, .saturation = 1.3f, .value = 1, .brightness = 0.9f, .contrast = 1.2f};
  const Shape shape{2, 3};
  ASSERT_TRUE(transform_colors({rgb.data(), {shape, DType::kUint8, {}}},
                               make_color_transform(twist, DType::kUint8),
                               {out.data(), {shape, DType::kFloat, {}}})
                  .ok());
  const float expected[] = {246.54611f, 25.39466f, -257.18734f, 23.03107f, 45.85225f, 301.82138f};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(out[i], expected[i], 0.01f);
  }
  const BrightnessContrast adjustment{
      .brightness = 1.1f, .brightness_shift = 0.1f, .contrast = 0.7f, .contrast_center = {}};
  std::vector<uint8_t> bytes(6);
  ASSERT_TRUE(adjust_brightness_contrast({rgb.data(), {shape, DType::kUint8, {}}}, adjustment,
                                         {bytes.data(), {shape, DType::kUint8, {}}})
                  .ok());
  EXPECT_THAT(bytes, ElementsAre(255, 68, 68, 75, 145, 222));
}

TEST(Warp, QuarterTurnsMovePixels) {
  const auto in = image_noise(4 * 6 * 3);
  const int64_t in_size[] = {4, 6};
  RotatedCanvas canvas(in_size);
  EXPECT_THAT(canvas.size(), ElementsAre(4, 6));
  canvas.add(90, {});
  EXPECT_THAT(canvas.size(), ElementsAre(6, 4));
  const int64_t out_size[] = {6, 4};
  std::vector<uint8_t> out(6 * 4 * 3);
  for (const WarpFilter filter : {WarpFilter::kNearest, WarpFilter::kLinear}) {
    const WarpOptions options{*rotation_map(in_size, out_size, 90, {}), filter, 0.0f};
    ASSERT_TRUE(warp({in.data(), {Shape{4, 6, 3}, DType::kUint8, {}}}, options,
                     {out.data(), {Shape{6, 4, 3}, DType::kUint8, {}}})
                    .ok());
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 4; ++x) {
        EXPECT_EQ(out[(y * 4 + x) * 3], in[(x * 6 + 5 - y) * 3]) << y << " " << x;
      }
    }
  }
}

TEST(Warp, LinearBetweenPixelsAndFill) {
  const std::vector<float> in{0, 10, 20, 30};  // 2 x 2
  WarpOptions options;
  options.map.at(0, 2) = 0.5f;
  std::vector<float> out(4);
  const tensor::TensorView source{in.data(), {Shape{2, 2, 1}, DType::kFloat, {}}};
  const tensor::MutableTensorView target{out.data(), {Shape{2, 2, 1}, DType::kFloat, {}}};
  ASSERT_TRUE(warp(source, options, target).ok());
  EXPECT_THAT(out, ElementsAre(5, 10, 25, 30));
  options.fill = -10.0f;
  ASSERT_TRUE(warp(source, options, target).ok());
  EXPECT_THAT(out, ElementsAre(5, 0, 25, 10));
}

// Recorded from Pillow 13: Image.fromarray(uint8 (i * 37 + 11) % 256, 4 x 5).resize((3, 2), filter).
TEST(PillowResize, RecordedValues) {
  std::vector<uint8_t> in(20);
  for (int i = 0; i < 20; ++i) {
    in[i] = static_cast<uint8_t>(i * 37 + 11);
  }
  const auto resized = [&](PillowFilter filter) {
    std::vector<uint8_t> out(6);
    EXPECT_TRUE(pillow_resize(ImageView<uint8_t>{in.data(), 4, 5, 1, 5}, filter, {0, 0, 5, 4},
                              MutableImageView<uint8_t>{out.data(), 2, 3, 1, 3})
                    .ok());
    return out;
  };
  EXPECT_THAT(resized(PillowFilter::kNearest), ElementsAre(196, 14, 88, 54, 128, 202));
  EXPECT_THAT(resized(PillowFilter::kBox), ElementsAre(123, 50, 106, 109, 164, 156));
  EXPECT_THAT(resized(PillowFilter::kBilinear), ElementsAre(123, 95, 108, 121, 150, 138));
  EXPECT_THAT(resized(PillowFilter::kHamming), ElementsAre(118, 73, 109, 108, 159, 141));
  EXPECT_THAT(resized(PillowFilter::kBicubic), ElementsAre(125, 90, 104, 119, 160, 140));
  EXPECT_THAT(resized(PillowFilter::kLanczos), ElementsAre(128, 92, 99, 122, 164, 138));
  std::vector<uint8_t> out(6);
  EXPECT_FALSE(pillow_resize(ImageView<uint8_t>{in.data(), 4, 5, 1, 5}, PillowFilter::kBox, {0, 0, 6, 4},
                             MutableImageView<uint8_t>{out.data(), 2, 3, 1, 3})
                   .ok());
}

}  // namespace
}  // namespace forebay::kernels
