#include "forebay/kernels/resampling/resample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "forebay/kernels/resampling/fused_resample.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Float16;
using tensor::Shape;
using ::testing::ElementsAre;

std::vector<uint8_t> noise(size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random());
  }
  return bytes;
}

ResampleAxis whole_axis(int in, int out, float lo, float hi, ResampleFilter filter = ResampleFilter::kLinear,
                        bool antialias = true) {
  ResampleAxisOptions options;
  options.in_size = in;
  options.out_size = out;
  options.lo = lo;
  options.hi = hi;
  options.min_filter = filter;
  options.mag_filter = filter;
  options.antialias = antialias;
  return *ResampleAxis::make(options);
}

ResampleAxis whole_axis(int in, int out, ResampleFilter filter = ResampleFilter::kLinear) {
  return whole_axis(in, out, 0, static_cast<float>(in), filter);
}

// The continuous triangle filter in double precision with repeated borders: an independent reference.
double triangle_sample(const std::vector<double>& line, double center, double radius) {
  double sum = 0;
  double weights = 0;
  for (int at = static_cast<int>(std::floor(center - radius)) - 1; at <= center + radius + 1; ++at) {
    const double weight = std::max(0.0, 1 - std::abs(at + 0.5 - center) / radius);
    sum += weight * line[std::clamp<int>(at, 0, static_cast<int>(line.size()) - 1)];
    weights += weight;
  }
  return sum / weights;
}

std::vector<double> resample_reference(const std::vector<uint8_t>& in, int h, int w, int c, int oh, int ow) {
  std::vector<double> tall(static_cast<size_t>(oh) * w * c);
  std::vector<double> out(static_cast<size_t>(oh) * ow * c);
  for (int i = 0; i < w * c; ++i) {
    std::vector<double> line(h);
    for (int y = 0; y < h; ++y) {
      line[y] = in[static_cast<size_t>(y) * w * c + i];
    }
    const double scale = static_cast<double>(h) / oh;
    for (int y = 0; y < oh; ++y) {
      tall[static_cast<size_t>(y) * w * c + i] =
          triangle_sample(line, (y + 0.5) * scale, std::max(1.0, scale));
    }
  }
  const double scale = static_cast<double>(w) / ow;
  for (int y = 0; y < oh; ++y) {
    for (int k = 0; k < c; ++k) {
      std::vector<double> line(w);
      for (int x = 0; x < w; ++x) {
        line[x] = tall[(static_cast<size_t>(y) * w + x) * c + k];
      }
      for (int x = 0; x < ow; ++x) {
        out[(static_cast<size_t>(y) * ow + x) * c + k] =
            triangle_sample(line, (x + 0.5) * scale, std::max(1.0, scale));
      }
    }
  }
  return out;
}

struct Geometry {
  int h, w, c, oh, ow;
};

class ResampleGeometry : public ::testing::TestWithParam<Geometry> {};

TEST_P(ResampleGeometry, EqualsTheContinuousFilter) {
  const auto [h, w, c, oh, ow] = GetParam();
  const auto in = noise(static_cast<size_t>(h) * w * c);
  std::vector<float> out(static_cast<size_t>(oh) * ow * c);
  const std::array axes{whole_axis(h, oh), whole_axis(w, ow)};
  ASSERT_TRUE(resample({in.data(), {Shape{h, w, c}, DType::kUint8, {}}}, axes,
                       {out.data(), {Shape{oh, ow, c}, DType::kFloat, {}}})
                  .ok());
  const auto expected = resample_reference(in, h, w, c, oh, ow);
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_NEAR(out[i], expected[i], 2e-3) << i;
  }
}

TEST_P(ResampleGeometry, SameBitsOnEveryTarget) {
  const auto [h, w, c, oh, ow] = GetParam();
  const auto in = noise(static_cast<size_t>(h) * w * c);
  for (const ResampleFilter filter : {ResampleFilter::kTriangular, ResampleFilter::kLanczos3}) {
    std::vector<std::vector<float>> results;
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      std::vector<float>& out = results.emplace_back(static_cast<size_t>(oh) * ow * c);
      const std::array axes{whole_axis(h, oh, filter), whole_axis(w, ow, filter)};
      ASSERT_TRUE(resample({in.data(), {Shape{h, w, c}, DType::kUint8, {}}}, axes,
                           {out.data(), {Shape{oh, ow, c}, DType::kFloat, {}}})
                      .ok());
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const auto& result : results) {
      EXPECT_EQ(result, results[0]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ResampleGeometry,
                         ::testing::Values(Geometry{29, 31, 3, 22, 23}, Geometry{7, 5, 3, 40, 33},
                                           Geometry{64, 50, 1, 20, 70}, Geometry{33, 40, 4, 11, 17},
                                           Geometry{20, 30, 2, 13, 9}, Geometry{12, 9, 7, 5, 5},
                                           Geometry{1, 1, 3, 4, 4}, Geometry{300, 200, 3, 7, 6}));

struct FusedCase {
  int h, w, oh, ow;
  bool flip_y, mirror, planar;
  DType dtype;
  int channels;
};

class Fused : public ::testing::TestWithParam<FusedCase> {};

// What the fused kernel must equal: resample to uint8, then process each value separately.
template <class T>
std::vector<T> in_steps(const FusedCase& p, const std::vector<uint8_t>& resized,
                        const NormalizeConstants& k) {
  std::vector<T> out(static_cast<size_t>(p.oh) * p.ow * p.channels, T(9.0f));
  for (int y = 0; y < p.oh; ++y) {
    for (int x = 0; x < p.ow; ++x) {
      for (int c = 0; c < 3; ++c) {
        const float in = resized[(static_cast<size_t>(y) * p.ow + x) * 3 + c];
        const float value = (in - k.mean[c]) * k.multiplier[c] + k.shift;
        const int to = p.mirror ? p.ow - 1 - x : x;
        const size_t at = p.planar ? (static_cast<size_t>(c) * p.oh + y) * p.ow + to
                                   : (static_cast<size_t>(y) * p.ow + to) * p.channels + c;
        out[at] = T(value);
      }
    }
  }
  return out;
}

template <class T>
void expect_equal_in_steps(const FusedCase& p) {
  const auto in = noise(static_cast<size_t>(p.h) * p.w * 3);
  const float h = static_cast<float>(p.h);
  for (const ResampleFilter filter : {ResampleFilter::kTriangular, ResampleFilter::kCubic,
                                      ResampleFilter::kLanczos3, ResampleFilter::kNearest}) {
    const std::array axes{
        whole_axis(p.h, p.oh, p.flip_y ? h - 0.3f : 0.3f, p.flip_y ? 0.1f : h - 0.1f, filter),
        whole_axis(p.w, p.ow, filter)};
    std::vector<uint8_t> resized(static_cast<size_t>(p.oh) * p.ow * 3);
    ASSERT_TRUE(resample({in.data(), {Shape{p.h, p.w, 3}, DType::kUint8, {}}}, axes,
                         {resized.data(), {Shape{p.oh, p.ow, 3}, DType::kUint8, {}}})
                    .ok());
    FusedOutput output;
    output.constants.mean = {123.7f, 116.3f, 103.5f};
    output.constants.multiplier = {1 / 58.4f, 1 / 57.1f, 1 / 57.4f};
    output.constants.shift = 0.125f;
    output.normalize = true;
    output.dtype = p.dtype;
    output.planar = p.planar;
    output.mirror = p.mirror;
    output.channels = p.channels;
    output.fill = 9;
    std::vector<T> out(static_cast<size_t>(p.oh) * p.ow * p.channels);
    output.data = out.data();
    auto fused = FusedResample::make(axes[0], axes[1], 3, output);
    ASSERT_TRUE(fused.ok()) << fused.status();
    while (!fused->is_finished()) {
      fused->push_row(in.data() + static_cast<size_t>(fused->next_row()) * p.w * 3);
    }
    EXPECT_EQ(out, in_steps<T>(p, resized, output.constants));
  }
}

TEST_P(Fused, EqualsResampleThenNormalize) {
  const FusedCase& p = GetParam();
  if (p.dtype == DType::kFloat16) {
    expect_equal_in_steps<Float16>(p);
  } else {
    expect_equal_in_steps<float>(p);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Fused,
                         ::testing::Values(FusedCase{29, 31, 22, 23, false, false, true, DType::kFloat, 3},
                                           FusedCase{29, 31, 22, 40, false, true, true, DType::kFloat, 4},
                                           FusedCase{9, 31, 50, 23, false, true, true, DType::kFloat16, 3},
                                           FusedCase{90, 31, 7, 33, true, false, false, DType::kFloat, 3},
                                           FusedCase{9, 12, 70, 33, true, true, false, DType::kFloat16, 4},
                                           FusedCase{1, 1, 10, 10, false, true, true, DType::kFloat, 3}));

TEST(FusedResample, PlainUint8AndWindow) {
  const auto in = noise(40 * 30 * 3);
  const std::array axes{whole_axis(40, 20), whole_axis(30, 25)};
  std::vector<uint8_t> whole(20 * 25 * 3);
  ASSERT_TRUE(resample({in.data(), {Shape{40, 30, 3}, DType::kUint8, {}}}, axes,
                       {whole.data(), {Shape{20, 25, 3}, DType::kUint8, {}}})
                  .ok());
  FusedOutput output;
  output.window_y = 3;
  output.window_x = 5;
  output.window_height = 8;
  output.window_width = 11;
  std::vector<uint8_t> out(8 * 11 * 3);
  output.data = out.data();
  auto fused = FusedResample::make(axes[0], axes[1], 3, output);
  ASSERT_TRUE(fused.ok());
  EXPECT_GT(fused->next_row(), 0);
  EXPECT_LT(fused->end_row(), 40);
  while (!fused->is_finished()) {
    fused->push_row(in.data() + static_cast<size_t>(fused->next_row()) * 30 * 3);
  }
  for (int y = 0; y < 8; ++y) {
    for (int i = 0; i < 33; ++i) {
      ASSERT_EQ(out[y * 33 + i], whole[(y + 3) * 75 + 15 + i]);
    }
  }
  output.window_y = 15;
  EXPECT_EQ(FusedResample::make(axes[0], axes[1], 3, output).status().code(), StatusCode::kInvalidArgument);
}

TEST(Resample, FlipsAndKeepsWhenTheRoiSaysSo) {
  const auto in = noise(6 * 5 * 3);
  const std::array axes{whole_axis(6, 6, 0, 6), whole_axis(5, 5, 5, 0)};
  std::vector<uint8_t> out(in.size());
  ASSERT_TRUE(resample({in.data(), {Shape{6, 5, 3}, DType::kUint8, {}}}, axes,
                       {out.data(), {Shape{6, 5, 3}, DType::kUint8, {}}})
                  .ok());
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 5; ++x) {
      for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(out[(y * 5 + x) * 3 + c], in[(y * 5 + 4 - x) * 3 + c]);
      }
    }
  }
}

// A row of twice as many pixels has quarters of the way between two of them: half of its values are halves.
template <class T>
void expect_halves_to_even(int height, int width) {
  const auto count = static_cast<size_t>(height) * static_cast<size_t>(width);
  std::vector<T> in(count);
  for (size_t i = 0; i < count; ++i) {
    in[i] = static_cast<T>(static_cast<int>(i % 40) * 2 - (std::is_signed_v<T> ? 40 : 0));
  }
  const std::array axes{whole_axis(height, height), whole_axis(width, 2 * width)};
  std::vector<T> out(2 * count);
  const DType type = tensor::kDTypeOf<T>;
  ASSERT_TRUE(resample({in.data(), {Shape{height, width, 1}, type, {}}}, axes,
                       {out.data(), {Shape{height, 2 * width, 1}, type, {}}})
                  .ok());
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t x = i % (2 * static_cast<size_t>(width));
    const size_t row = i - x;
    const size_t at = row / 2 + x / 2;
    const bool is_edge = x == 0 || x == 2 * static_cast<size_t>(width) - 1;
    const double other = is_edge ? in[at] : in[x % 2 == 0 ? at - 1 : at + 1];
    EXPECT_EQ(out[i], std::nearbyint(0.75 * in[at] + 0.25 * other)) << "at " << i;
  }
}

TEST(Resample, RoundsHalvesToEven) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    for (const int width : {1, 3, 37, 150}) {
      expect_halves_to_even<uint8_t>(3, width);
      expect_halves_to_even<uint16_t>(3, width);
      expect_halves_to_even<int16_t>(3, width);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Resample, VolumeOfEqualSlicesIsTheImage) {
  const auto slice = noise(9 * 8);
  std::vector<uint8_t> in;
  for (int z = 0; z < 5; ++z) {
    in.insert(in.end(), slice.begin(), slice.end());
  }
  const std::array axes{whole_axis(5, 3), whole_axis(9, 4), whole_axis(8, 11)};
  std::vector<uint8_t> out(3 * 4 * 11);
  ASSERT_TRUE(resample({in.data(), {Shape{5, 9, 8, 1}, DType::kUint8, {}}}, axes,
                       {out.data(), {Shape{3, 4, 11, 1}, DType::kUint8, {}}})
                  .ok());
  const auto expected = resample_reference(slice, 9, 8, 1, 4, 11);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(out[i], expected[i % 44], 0.502);
  }
}

TEST(Resample, RefusesWhatDoesNotFit) {
  const auto in = noise(6 * 5 * 3);
  std::vector<uint8_t> out(in.size());
  const std::array axes{whole_axis(6, 6), whole_axis(5, 4)};
  EXPECT_FALSE(resample({in.data(), {Shape{6, 5, 3}, DType::kUint8, {}}}, axes,
                        {out.data(), {Shape{6, 5, 3}, DType::kUint8, {}}})
                   .ok());
  ResampleAxisOptions options;
  EXPECT_FALSE(ResampleAxis::make(options).ok());
  options = {.in_size = 10, .out_size = 1 << 30, .lo = 0, .hi = 10};
  EXPECT_FALSE(ResampleAxis::make(options).ok());
  options = {.in_size = 10, .out_size = 10, .lo = NAN, .hi = 10};
  EXPECT_FALSE(ResampleAxis::make(options).ok());
}

TEST(ResampleAxis, FirstTapsNeverFall) {
  for (const ResampleFilter filter :
       {ResampleFilter::kLinear, ResampleFilter::kCubic, ResampleFilter::kLanczos3, ResampleFilter::kGaussian,
        ResampleFilter::kNearest}) {
    for (const auto& [in, out] : {std::pair(10, 20), std::pair(20, 10), std::pair(7, 7), std::pair(5, 64)}) {
      const ResampleAxis axis = whole_axis(in, out, filter);
      for (int x = 0; x < out; ++x) {
        EXPECT_LE(axis.first(x) + axis.count(x), in);
        EXPECT_LE(axis.window_first(x) + axis.support(), in);
        EXPECT_GE(axis.window_first(x), 0);
        EXPECT_GE(axis.first(x), x == 0 ? 0 : axis.first(x - 1));
      }
    }
  }
}

std::vector<int> nearest_pixels(NearestPlace place, int in, int out, float lo, float hi) {
  const auto axis = ResampleAxis::make({.in_size = in,
                                        .out_size = out,
                                        .lo = lo,
                                        .hi = hi,
                                        .min_filter = ResampleFilter::kNearest,
                                        .mag_filter = ResampleFilter::kNearest,
                                        .nearest_place = place});
  EXPECT_TRUE(axis.ok()) << axis.status();
  return {axis->firsts().begin(), axis->firsts().end()};
}

TEST(NearestPlace, DecidesOnTheBorderBetweenTwoPixels) {
  const auto pixels = [](NearestPlace place) { return nearest_pixels(place, 8, 12, 0, 8); };
  EXPECT_THAT(pixels(NearestPlace::kProduct), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7));
  EXPECT_THAT(pixels(NearestPlace::kExact), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7));
  EXPECT_THAT(pixels(NearestPlace::kSum), ElementsAre(0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7));
  EXPECT_THAT(pixels(NearestPlace::kEdge), ElementsAre(0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7));
  EXPECT_EQ(nearest_pixels(NearestPlace::kProduct, 14, 23, 0, 14)[11], 6);
  EXPECT_EQ(nearest_pixels(NearestPlace::kExact, 14, 23, 0, 14)[11], 7);
}

TEST(NearestPlace, ASumIsRoundedByWhatItIsCountedFrom) {
  const auto pixels = [](int origin) {
    const auto axis = ResampleAxis::make({.in_size = 9,
                                          .out_size = 6,
                                          .lo = 3,
                                          .hi = 7,
                                          .mag_filter = ResampleFilter::kNearest,
                                          .nearest_place = NearestPlace::kSum,
                                          .nearest_origin = origin});
    EXPECT_TRUE(axis.ok()) << axis.status();
    return std::vector<int>(axis->firsts().begin(), axis->firsts().end());
  };
  EXPECT_THAT(pixels(0), ElementsAre(3, 4, 4, 5, 5, 6));
  EXPECT_THAT(pixels(3), ElementsAre(3, 4, 4, 5, 6, 6));
}

TEST(NearestPlace, ExactIsAFractionOfWholeNumbers) {
  for (int in = 1; in < 70; ++in) {
    for (int out = 1; out < 70; ++out) {
      const std::vector<int> found =
          nearest_pixels(NearestPlace::kExact, in + 9, out, 4, static_cast<float>(in + 4));
      for (int x = 0; x < out; ++x) {
        ASSERT_EQ(found[x], 4 + (2 * x + 1) * in / (2 * out)) << in << " to " << out << ", pixel " << x;
      }
    }
  }
}

TEST(NearestPlace, OfAnEdgeStaysInTheRegionAndIsReversed) {
  for (const auto& [in, out] : {std::pair(7, 5), std::pair(26, 22), std::pair(5, 41), std::pair(1, 9)}) {
    std::vector<int> found = nearest_pixels(NearestPlace::kEdge, in + 9, out, 4, static_cast<float>(in + 4));
    EXPECT_EQ(found.front(), 4);
    EXPECT_LT(found.back(), in + 4);
    EXPECT_GE(found.back(), in + 3 - in / out);
    std::ranges::reverse(found);
    EXPECT_EQ(nearest_pixels(NearestPlace::kEdge, in + 9, out, static_cast<float>(in + 4), 4), found);
  }
}

}  // namespace
}  // namespace forebay::kernels
