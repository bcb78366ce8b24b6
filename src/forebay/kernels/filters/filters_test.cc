// Convolution, correlation, medians and morphology against sums and sorts over the same neighbourhoods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/kernels/filters/convolve.h"
#include "forebay/kernels/filters/correlate.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/filters/median.h"
#include "forebay/kernels/filters/morphology.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Shape;
using ::testing::ElementsAre;

std::vector<uint8_t> random_bytes(int64_t count, uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  std::ranges::generate(bytes, [&] { return static_cast<uint8_t>(random.below(256)); });
  return bytes;
}

tensor::TensorView view_of(const std::vector<uint8_t>& data, const Shape& shape) {
  return {data.data(), {shape, DType::kUint8, {}}};
}

TEST(Border, ReflectsWrapsAndClamps) {
  const auto places = [](Border border) {
    std::vector<int64_t> all;
    for (int64_t at = -4; at < 8; ++at) {
      all.push_back(border_place(border, at, 3));
    }
    return all;
  };
  EXPECT_THAT(places(Border::kReflect101), ElementsAre(0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1));
  EXPECT_THAT(places(Border::kReflect1001), ElementsAre(2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1));
  EXPECT_THAT(places(Border::kWrap), ElementsAre(2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1));
  EXPECT_THAT(places(Border::kClamp), ElementsAre(0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(places(Border::kConstant), ElementsAre(-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1));
  for (int64_t at = -20; at < 20; ++at) {
    EXPECT_EQ(border_place(Border::kReflect101, at, 1), 0);
    EXPECT_EQ(border_place(Border::kReflect101, at, 3), border_place(Border::kReflect101, at + 4, 3));
    EXPECT_EQ(border_place(Border::kReflect1001, at, 3), border_place(Border::kReflect1001, at + 6, 3));
    EXPECT_EQ(border_place(Border::kWrap, at, 3), border_place(Border::kWrap, at + 3, 3));
  }
}

TEST(FilterLines, HalvesGoToEvenAndNumbersThatAreNoneToZero) {
  EXPECT_EQ(convert_to_even<uint8_t>(0.5f), 0);
  EXPECT_EQ(convert_to_even<uint8_t>(1.5f), 2);
  EXPECT_EQ(convert_to_even<uint8_t>(254.5f), 254);
  EXPECT_EQ(convert_to_even<uint8_t>(1e30f), 255);
  EXPECT_EQ(convert_to_even<int16_t>(-1e30f), -32768);
  EXPECT_EQ(convert_to_even<int16_t>(-2.5f), -2);
  EXPECT_EQ(convert_to_even<uint16_t>(std::nanf("")), 0);
  EXPECT_EQ(convert_to_even<float>(0.5f), 0.5f);
}

/// sum_k window[k] * in(..., at - radius + k, ...) along `axis`, in doubles.
std::vector<double> convolved_along(const std::vector<double>& in, const Shape& shape, int axis,
                                    const std::vector<float>& window) {
  const int64_t inner = shape.volume(axis + 1, shape.rank());
  const int64_t extent = shape[axis];
  std::vector<double> out(in.size());
  for (int64_t i = 0; i < static_cast<int64_t>(in.size()); ++i) {
    const int64_t at = i / inner % extent;
    for (int64_t k = 0; k < static_cast<int64_t>(window.size()); ++k) {
      const int64_t from =
          border_place(Border::kReflect101, at + k - static_cast<int64_t>(window.size()) / 2, extent);
      out[static_cast<size_t>(i)] += static_cast<double>(window[static_cast<size_t>(k)]) *
                                     in[static_cast<size_t>(i + (from - at) * inner)];
    }
  }
  return out;
}

TEST(Convolve, IsTheSumAlongEachAxis) {
  const std::vector<float> windows[] = {{0.2f, 0.5f, -0.3f}, {0.1f, 0.2f, 0.4f, 0.2f, 0.1f}, {1}};
  for (const Shape& shape :
       {Shape{9, 2}, Shape{5, 8, 3}, Shape{2, 5, 1}, Shape{4, 3, 9, 2}, Shape{1, 1, 1, 1}}) {
    const std::vector<uint8_t> in = random_bytes(shape.volume(), 1);
    const int axes = shape.rank() - 1;
    ConvolutionWindows chosen;
    std::vector<double> expected(in.begin(), in.end());
    for (int axis = axes - 1; axis >= 0; --axis) {
      chosen[static_cast<size_t>(axis)] = windows[axis];
      expected = convolved_along(expected, shape, axis, windows[axis]);
    }
    std::vector<float> out(in.size());
    ASSERT_TRUE(convolve(view_of(in, shape), chosen, {out.data(), {shape, DType::kFloat, {}}}).ok());
    for (size_t i = 0; i < out.size(); ++i) {
      ASSERT_NEAR(out[i], expected[i], 1e-3) << shape.to_string() << " " << i;
    }
  }
}

TEST(Convolve, RefusesEvenWindows) {
  const std::vector<float> even{1, 1};
  std::vector<uint8_t> in(6);
  EXPECT_FALSE(
      convolve(view_of(in, {2, 3}), {even, {}, {}}, {in.data(), {Shape{2, 3}, DType::kUint8, {}}}).ok());
}

TEST(Correlate, IsTheSumUnderTheFilterInThreeAxes) {
  const Shape shape{4, 5, 6, 2};
  const Shape filter_shape{2, 3, 4};
  const std::vector<uint8_t> in = random_bytes(shape.volume(), 2);
  std::vector<float> filter(static_cast<size_t>(filter_shape.volume()));
  for (size_t i = 0; i < filter.size(); ++i) {
    filter[i] = 0.1f * static_cast<float>(i) - 1;
  }
  for (const Border border : {Border::kReflect101, Border::kWrap, Border::kConstant}) {
    const CorrelateOptions options{{1, 0, 2}, border, 7, false};
    std::vector<float> out(in.size());
    ASSERT_TRUE(correlate(view_of(in, shape), {filter.data(), {filter_shape, DType::kFloat, {}}}, options,
                          {out.data(), {shape, DType::kFloat, {}}})
                    .ok());
    for (int64_t i = 0; i < shape.volume(); ++i) {
      double sum = 0;
      for (int64_t k = 0; k < filter_shape.volume(); ++k) {
        const int64_t z = border_place(border, i / 60 - 1 + k / 12, 4);
        const int64_t y = border_place(border, i / 12 % 5 + k / 4 % 3, 5);
        const int64_t x = border_place(border, i / 2 % 6 - 2 + k % 4, 6);
        const bool is_inside = z >= 0 && y >= 0 && x >= 0;
        const int value = is_inside ? in[static_cast<size_t>(((z * 5 + y) * 6 + x) * 2 + i % 2)] : 7;
        sum += static_cast<double>(filter[static_cast<size_t>(k)]) * value;
      }
      ASSERT_NEAR(out[static_cast<size_t>(i)], sum, 1e-2) << static_cast<int>(border) << " " << i;
    }
  }
}

TEST(Correlate, IsSmallerWhereOnlyWholeFiltersCount) {
  const std::vector<uint8_t> in{1, 2, 3, 4, 5, 6};
  const std::vector<float> filter{1, 10};
  std::vector<uint8_t> out(4);
  ASSERT_TRUE(correlate(view_of(in, {2, 3, 1}), {filter.data(), {Shape{1, 2}, DType::kFloat, {}}},
                        {{}, Border::kConstant, 0, true}, {out.data(), {Shape{2, 2, 1}, DType::kUint8, {}}})
                  .ok());
  EXPECT_THAT(out, ElementsAre(21, 32, 54, 65));
}

std::vector<int> around(const std::vector<uint8_t>& in, const Shape& shape, int64_t at, int64_t left,
                        int64_t right, int64_t up, int64_t down, Border border) {
  std::vector<int> values;
  const int64_t channels = shape[2];
  for (int64_t dy = -up; dy <= down; ++dy) {
    for (int64_t dx = -left; dx <= right; ++dx) {
      const int64_t y = border_place(border, at / channels / shape[1] + dy, shape[0]);
      const int64_t x = border_place(border, at / channels % shape[1] + dx, shape[1]);
      if (y >= 0 && x >= 0) {
        values.push_back(in[static_cast<size_t>((y * shape[1] + x) * channels + at % channels)]);
      }
    }
  }
  std::ranges::sort(values);
  return values;
}

TEST(Median, IsTheMiddleOfTheSortedNeighbourhood) {
  const Shape shape{9, 11, 2};
  const std::vector<uint8_t> in = random_bytes(shape.volume(), 3);
  for (const auto& [width, height] : {std::pair(1, 1), {3, 3}, {5, 5}, {7, 3}, {9, 7}, {21, 1}, {31, 25}}) {
    std::vector<uint8_t> out(in.size());
    ASSERT_TRUE(median(view_of(in, shape), width, height, {out.data(), {shape, DType::kUint8, {}}}).ok());
    for (int64_t i = 0; i < shape.volume(); ++i) {
      const std::vector<int> sorted =
          around(in, shape, i, width / 2, width / 2, height / 2, height / 2, Border::kClamp);
      ASSERT_EQ(out[static_cast<size_t>(i)], sorted[sorted.size() / 2]) << width << " " << height << " " << i;
    }
  }
}

TEST(Median, SortsWhatIsNoNumberBehindAllOthers) {
  const float nan = std::nanf("");
  const std::vector<float> in{nan, nan, 1, 2, 3, nan, 4, 5, nan};
  std::vector<float> out(9);
  ASSERT_TRUE(median({in.data(), {Shape{1, 9, 1}, DType::kFloat, {}}}, 5, 1,
                     {out.data(), {Shape{1, 9, 1}, DType::kFloat, {}}})
                  .ok());
  EXPECT_EQ(out[3], 3);
  EXPECT_TRUE(std::isnan(out[0]));
}

TEST(Morphology, IsTheExtremeUnderTheRectangle) {
  const Shape shape{8, 9, 2};
  const std::vector<uint8_t> in = random_bytes(shape.volume(), 4);
  for (const Border border : {Border::kConstant, Border::kReflect101, Border::kWrap}) {
    for (const auto& [width, height] : {std::pair(1, 1), {3, 3}, {4, 7}, {13, 2}, {20, 20}}) {
      for (const bool is_dilation : {true, false}) {
        const MorphologyOptions options{is_dilation, width, height, width / 3, height - 1, border};
        std::vector<uint8_t> out(in.size());
        ASSERT_TRUE(morphology(view_of(in, shape), options, {out.data(), {shape, DType::kUint8, {}}}).ok());
        for (int64_t i = 0; i < shape.volume(); ++i) {
          const std::vector<int> sorted =
              around(in, shape, i, width / 3, width - 1 - width / 3, height - 1, 0, border);
          ASSERT_EQ(out[static_cast<size_t>(i)], is_dilation ? sorted.back() : sorted.front())
              << width << " " << height << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace forebay::kernels
