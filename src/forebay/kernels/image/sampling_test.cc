// Remaps, mosaics, lightness: what is known of their results without another library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "forebay/kernels/image/clahe.h"
#include "forebay/kernels/image/debayer.h"
#include "forebay/kernels/image/lab.h"
#include "forebay/kernels/image/remap.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Shape;
using ::testing::Each;
using ::testing::ElementsAre;

std::vector<uint8_t> sampled(RemapOptions options, std::vector<float> xs) {
  const std::vector<uint8_t> in{10, 20, 40, 80};
  std::vector<uint8_t> out(xs.size());
  const Shape shape{1, static_cast<int64_t>(xs.size()), 1};
  const Status status = remap({in.data(), {Shape{1, 4, 1}, DType::kUint8, {}}}, options,
                              [&](int64_t, std::span<float> to, std::span<float> ys) {
                                std::ranges::copy(xs, to.begin());
                                std::ranges::fill(ys, 0.0f);
                              },
                              {out.data(), {shape, DType::kUint8, {}}});
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

TEST(Remap, TakesNeighboursBetweenPixels) {
  RemapOptions options{RemapFilter::kLinear, Border::kConstant, 7.0f, false};
  const float nan = std::nanf("");
  EXPECT_THAT(sampled(options, {0, 0.5f, 2.25f, 3, 3.5f, -9, nan, 1e30f}),
              ElementsAre(10, 15, 50, 80, 44, 7, 7, 7));
  options.border = Border::kClamp;
  EXPECT_THAT(sampled(options, {3.5f, -9, 1e30f}), ElementsAre(80, 10, 80));
  options.filter = RemapFilter::kCubic;
  EXPECT_THAT(sampled(options, {0, 1, 2, 3}), ElementsAre(10, 20, 40, 80));
  options.filter = RemapFilter::kNearest;
  EXPECT_THAT(sampled(options, {0.5f, 1.5f, 1.4f, 2.6f}), ElementsAre(10, 40, 20, 80));
  options.halves_away = true;
  EXPECT_THAT(sampled(options, {0.5f, 1.5f, 1.4f, 2.6f}), ElementsAre(20, 40, 20, 80));
  options.filter = RemapFilter::kLinear;
  EXPECT_THAT(sampled(options, {0.25f, 0.75f}), ElementsAre(13, 18));
  options.halves_away = false;
  EXPECT_THAT(sampled(options, {0.25f, 0.75f}), ElementsAre(12, 18));
}

TEST(Remap, ContinuesTheImageAsFarAsPlacesLie) {
  for (const RemapFilter filter : {RemapFilter::kNearest, RemapFilter::kLinear, RemapFilter::kCubic}) {
    for (const auto& [border, period] : {std::pair(Border::kWrap, 4), std::pair(Border::kReflect1001, 8),
                                         std::pair(Border::kReflect101, 6)}) {
      const RemapOptions options{filter, border, {}, true};
      const std::vector<uint8_t> near = sampled(options, {-1.25f, 0.5f, 2.75f, 3.5f});
      for (const int times : {-30001, -7, -2, -1, 1, 3, 40000}) {
        const auto shift = static_cast<float>(times * period);
        EXPECT_EQ(sampled(options, {shift - 1.25f, shift + 0.5f, shift + 2.75f, shift + 3.5f}), near)
            << "filter " << static_cast<int>(filter) << ", shifted by " << shift;
      }
    }
  }
}

TEST(Remap, RefusesWhatDoesNotFit) {
  std::vector<double> data(4);
  const tensor::TensorSpec spec{Shape{2, 2, 1}, DType::kFloat64, {}};
  const auto nowhere = [](int64_t, std::span<float>, std::span<float>) {};
  EXPECT_FALSE(remap({data.data(), spec}, {}, nowhere, {data.data(), spec}).ok());
  const tensor::TensorSpec empty{Shape{0, 2, 1}, DType::kFloat, {}};
  const tensor::TensorSpec one{Shape{1, 1, 1}, DType::kFloat, {}};
  EXPECT_FALSE(remap({data.data(), empty}, {}, nowhere, {data.data(), one}).ok());
}

TEST(Debayer, GivesOneColourBackWhereAllPixelsMeasureIt) {
  constexpr int64_t kSide = 10;
  for (const DebayerMethod method :
       {DebayerMethod::kBilinear, DebayerMethod::kEdgeAware, DebayerMethod::kGradients}) {
    for (int blue = 0; blue < 4; ++blue) {
      std::vector<uint8_t> mosaic(kSide * kSide);
      for (int64_t i = 0; i < kSide * kSide; ++i) {
        const bool is_blue_row = i / kSide % 2 == blue / 2;
        const bool is_blue_column = i % kSide % 2 == blue % 2;
        mosaic[static_cast<size_t>(i)] = is_blue_row != is_blue_column ? 50 : is_blue_row ? 200 : 10;
      }
      std::vector<uint8_t> out(kSide * kSide * 3);
      ASSERT_TRUE(debayer({mosaic.data(), {Shape{kSide, kSide}, DType::kUint8, {}}}, method, blue / 2,
                          blue % 2, {out.data(), {Shape{kSide, kSide, 3}, DType::kUint8, {}}})
                      .ok());
      for (size_t i = 0; i < out.size(); i += 3) {
        ASSERT_EQ(out[i], 10) << i;
        ASSERT_EQ(out[i + 1], 50) << i;
        ASSERT_EQ(out[i + 2], 200) << i;
      }
    }
  }
}

TEST(Debayer, NamesWhatIsWrong) {
  std::vector<uint16_t> data(300);
  const tensor::TensorSpec mosaic{Shape{10, 10}, DType::kUint16, {}};
  const tensor::TensorSpec colors{Shape{10, 10, 3}, DType::kUint16, {}};
  EXPECT_TRUE(debayer({data.data(), mosaic}, DebayerMethod::kBilinear, 0, 0, {data.data(), colors}).ok());
  EXPECT_FALSE(debayer({data.data(), mosaic}, DebayerMethod::kGradients, 0, 0, {data.data(), colors}).ok());
  EXPECT_FALSE(debayer({data.data(), mosaic}, DebayerMethod::kGray, 0, 0, {data.data(), colors}).ok());
  EXPECT_FALSE(debayer({data.data(), mosaic}, DebayerMethod::kBilinear, 2, 0, {data.data(), colors}).ok());
}

TEST(Lab, KnowsGreyAndComesBack) {
  std::vector<uint8_t> greys;
  for (int level = 0; level < 256; ++level) {
    greys.insert(greys.end(), 3, static_cast<uint8_t>(level));
  }
  std::vector<uint8_t> lab(greys.size());
  rgb_to_lab(greys.data(), 256, lab.data());
  for (size_t i = 0; i < lab.size(); i += 3) {
    EXPECT_EQ(lab[i + 1], 128);
    EXPECT_EQ(lab[i + 2], 128);
  }
  EXPECT_EQ(lab[0], 0);
  EXPECT_EQ(lab[765], 255);
  std::vector<uint8_t> back(greys.size());
  lab_to_rgb(lab.data(), 256, back.data());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_NEAR(back[i], greys[i], 2) << i;
  }
}

TEST(Clahe, LeavesOneLevelAlikeAndRefusesTheRest) {
  std::vector<uint8_t> level(20 * 30, 77);
  std::vector<uint8_t> out(level.size());
  const tensor::TensorSpec spec{Shape{20, 30, 1}, DType::kUint8, {}};
  ASSERT_TRUE(clahe({level.data(), spec}, {4, 3, 2, true}, {out.data(), spec}).ok());
  EXPECT_THAT(out, Each(out[0]));
  EXPECT_FALSE(clahe({level.data(), spec}, {0, 3, 2, true}, {out.data(), spec}).ok());
  EXPECT_FALSE(clahe({level.data(), spec}, {int64_t{1} << 40, 1 << 30, 2, true}, {out.data(), spec}).ok());
  const tensor::TensorSpec pairs{Shape{20, 15, 2}, DType::kUint8, {}};
  EXPECT_FALSE(clahe({level.data(), pairs}, {4, 3, 2, true}, {out.data(), pairs}).ok());
}

}  // namespace
}  // namespace forebay::kernels
