// Every way of resampling an image, on every SIMD target, against two plain loops.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/resampling/resample.h"
#include "forebay/kernels/resampling/resample_growing.h"
#include "forebay/kernels/resampling/resample_sparse.h"

namespace forebay::kernels {
namespace {

struct SizesCase {
  int in_height, in_width, out_height, out_width;
};

// Output pixel `x` from a line of values that are `stride` apart.
template <class T>
float model_pixel(const ResampleAxis& axis, int x, const T* line, size_t stride) {
  float sum = 0;
  for (int k = 0; k < axis.count(x); ++k) {
    sum = std::fma(axis.weights(x)[k], static_cast<float>(line[(axis.first(x) + k) * stride]), sum);
  }
  return sum;
}

template <class T>
std::vector<float> model_vertical(const ResampleAxis& axis, const std::vector<T>& in, size_t row) {
  std::vector<float> out(axis.out_size() * row);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = model_pixel(axis, static_cast<int>(i / row), in.data() + i % row, row);
  }
  return out;
}

template <class T>
std::vector<float> model_horizontal(const ResampleAxis& axis, const std::vector<T>& in, size_t channels) {
  const size_t in_row = axis.in_size() * channels;
  const size_t out_row = axis.out_size() * channels;
  std::vector<float> out(in.size() / in_row * out_row);
  for (size_t i = 0; i < out.size(); ++i) {
    const int x = static_cast<int>(i % out_row / channels);
    out[i] = model_pixel(axis, x, in.data() + i / out_row * in_row + i % channels, channels);
  }
  return out;
}

std::vector<float> model(const std::vector<uint8_t>& in, const ResampleAxis& vertical,
                         const ResampleAxis& horizontal, size_t channels) {
  if (is_horizontal_first(vertical, horizontal)) {
    return model_vertical(vertical, model_horizontal(horizontal, in, channels),
                          horizontal.out_size() * channels);
  }
  return model_horizontal(horizontal, model_vertical(vertical, in, horizontal.in_size() * channels),
                          channels);
}

// The buffers end where the images end, so a sanitizer detects accesses past the end.
void expect_model(const ResampleAxis& vertical, const ResampleAxis& horizontal, int channels) {
  std::mt19937 random(7);
  std::vector<uint8_t> in(static_cast<size_t>(vertical.in_size()) * horizontal.in_size() * channels);
  for (uint8_t& value : in) {
    value = static_cast<uint8_t>(random());
  }
  const std::vector<float> expected = model(in, vertical, horizontal, channels);
  std::vector<uint8_t> rounded;
  for (const float value : expected) {
    rounded.push_back(convert_to_even<uint8_t>(value));
  }
  const int height = vertical.out_size();
  const int width = horizontal.out_size();
  const ImageView<uint8_t> from{in.data(), vertical.in_size(), horizontal.in_size(), channels,
                                static_cast<ptrdiff_t>(horizontal.in_size()) * channels};
  const ptrdiff_t pitch = static_cast<ptrdiff_t>(width) * channels;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    std::vector<uint8_t> bytes(expected.size());
    resample_image<uint8_t, uint8_t>(from, vertical, horizontal,
                                     {bytes.data(), height, width, channels, pitch});
    EXPECT_EQ(bytes, rounded) << hwy::TargetName(target);
    std::vector<float> floats(expected.size());
    resample_image<uint8_t, float>(from, vertical, horizontal,
                                   {floats.data(), height, width, channels, pitch});
    EXPECT_EQ(floats, expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

ResampleAxis part_axis(int in, int out, float lo, float hi, ResampleFilter filter, bool antialias) {
  return *ResampleAxis::make({.in_size = in,
                              .out_size = out,
                              .lo = lo,
                              .hi = hi,
                              .min_filter = filter,
                              .mag_filter = filter,
                              .antialias = antialias});
}

class ResamplePaths : public ::testing::TestWithParam<SizesCase> {};

TEST_P(ResamplePaths, EqualTheModel) {
  const auto [in_height, in_width, out_height, out_width] = GetParam();
  const auto h = static_cast<float>(in_height);
  const auto w = static_cast<float>(in_width);
  const std::array regions{std::array{0.0f, h, 0.0f, w}, std::array{h, 0.0f, w, 0.0f},
                           std::array{-3.5f, h + 2.25f, -2.5f, w + 4.0f},
                           std::array{h * 0.7f, h * 0.2f, w * 0.3f, w * 0.8f}};
  for (const ResampleFilter filter :
       {ResampleFilter::kNearest, ResampleFilter::kLinear, ResampleFilter::kCubic, ResampleFilter::kLanczos3,
        ResampleFilter::kGaussian}) {
    for (const bool antialias : {false, true}) {
      for (const auto& [top, bottom, left, right] : regions) {
        const ResampleAxis vertical = part_axis(in_height, out_height, top, bottom, filter, antialias);
        const ResampleAxis horizontal = part_axis(in_width, out_width, left, right, filter, antialias);
        for (int channels = 1; channels <= 5; ++channels) {
          SCOPED_TRACE("filter " + std::to_string(static_cast<int>(filter)) + (antialias ? "" : " plain") +
                       ", region from " + std::to_string(left) + ", channels " + std::to_string(channels));
          expect_model(vertical, horizontal, channels);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ResamplePaths,
                         ::testing::Values(SizesCase{1, 1, 1, 1}, SizesCase{1, 1, 5, 7},
                                           SizesCase{1, 40, 3, 9}, SizesCase{40, 1, 9, 3},
                                           SizesCase{2, 3, 1, 1}, SizesCase{12, 11, 31, 37},
                                           SizesCase{30, 41, 13, 18}, SizesCase{45, 70, 9, 5},
                                           SizesCase{9, 50, 20, 12}, SizesCase{23, 9, 6, 30},
                                           SizesCase{17, 17, 17, 17}, SizesCase{60, 400, 20, 130}));

TEST(ResamplePaths, AxesOfDifferentKinds) {
  const ResampleAxis nearest = part_axis(20, 31, 0, 20, ResampleFilter::kNearest, true);
  const ResampleAxis cubic = part_axis(24, 13, 0, 24, ResampleFilter::kCubic, true);
  expect_model(nearest, cubic, 3);
  expect_model(cubic, nearest, 3);
}

TEST(ResamplePaths, EachWayIsTaken) {
  const auto linear = [](int in, int out) {
    return part_axis(in, out, 0, static_cast<float>(in), ResampleFilter::kLinear, false);
  };
  EXPECT_TRUE(is_horizontal_first(linear(12, 31), linear(11, 37)));
  EXPECT_FALSE(is_horizontal_first(linear(31, 12), linear(11, 37)));
  EXPECT_TRUE(is_sparse(linear(70, 5)));
  EXPECT_FALSE(is_sparse(linear(41, 18)));
}

}  // namespace
}  // namespace forebay::kernels
