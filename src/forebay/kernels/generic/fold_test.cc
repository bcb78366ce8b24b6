// Sums and extremes over axes: which elements come together, exactness, what is refused.
#include "forebay/kernels/generic/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Layout;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;
using ::testing::ElementsAre;

template <class T>
TensorView seen(const std::vector<T>& values, const Shape& shape) {
  return {values.data(), {shape, tensor::kDTypeOf<T>, Layout()}};
}

template <class T>
MutableTensorView seen_for_writing(std::vector<T>& values, const Shape& shape) {
  return {values.data(), {shape, tensor::kDTypeOf<T>, Layout()}};
}

TEST(Fold, AddsOverAxesThatAreNotNeighbours) {
  const std::vector<int32_t> in{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int64_t> out(2, 99);
  ASSERT_TRUE(sum_over(seen(in, {2, 2, 2}), seen_for_writing(out, {1, 2, 1})).ok());
  EXPECT_THAT(out, ElementsAre(0 + 1 + 4 + 5, 2 + 3 + 6 + 7));
  std::vector<int32_t> largest(2);
  ASSERT_TRUE(extreme_over(seen(in, {2, 2, 2}), true, seen_for_writing(largest, {1, 2, 1})).ok());
  EXPECT_THAT(largest, ElementsAre(5, 7));
  std::vector<int32_t> least(4);
  ASSERT_TRUE(extreme_over(seen(in, {2, 2, 2}), false, seen_for_writing(least, {1, 2, 2})).ok());
  EXPECT_THAT(least, ElementsAre(0, 1, 2, 3));
}

TEST(Fold, AddsFloatsInDouble) {
  const std::vector<float> in{1e8f, 1, 1, -1e8f};
  std::vector<float> out(1);
  ASSERT_TRUE(sum_over(seen(in, {4}), seen_for_writing(out, {1})).ok());
  EXPECT_THAT(out, ElementsAre(2));
}

TEST(Fold, OfNothingIsNothing) {
  const std::vector<float> in;
  std::vector<float> out(2, 7);
  ASSERT_TRUE(sum_over(seen(in, {0, 2}), seen_for_writing(out, {1, 2})).ok());
  EXPECT_THAT(out, ElementsAre(0, 0));
}

TEST(Fold, OfManyTheFirstZeroCounts) {
  std::vector<float> in(100, 3.0f);
  in[40] = -0.0f;
  in[70] = 0.0f;
  in[3] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(1);
  ASSERT_TRUE(extreme_over(seen(in, {100}), false, seen_for_writing(out, {1})).ok());
  EXPECT_EQ(out[0], 0);
  EXPECT_TRUE(std::signbit(out[0]));
  std::swap(in[40], in[70]);
  ASSERT_TRUE(extreme_over(seen(in, {10, 10}), false, seen_for_writing(out, {1, 1})).ok());
  EXPECT_FALSE(std::signbit(out[0]));
}

TEST(Fold, AddsChannelsOfEveryNumber) {
  for (int64_t channels = 1; channels < 7; ++channels) {
    std::vector<uint8_t> in(static_cast<size_t>(5 * 4 * channels));
    std::vector<int64_t> expected(static_cast<size_t>(channels));
    for (size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<uint8_t>(i * 11);
      expected[i % static_cast<size_t>(channels)] += in[i];
    }
    std::vector<int64_t> out(static_cast<size_t>(channels));
    ASSERT_TRUE(sum_over(seen(in, {5, 4, channels}), seen_for_writing(out, {1, 1, channels})).ok());
    EXPECT_EQ(out, expected);
  }
}

TEST(Fold, RefusesShapesAndTypesThatDoNotFit) {
  const std::vector<float> in(6);
  std::vector<float> out(3);
  std::vector<int32_t> integers(1);
  EXPECT_FALSE(sum_over(seen(in, {2, 3}), seen_for_writing(out, {3})).ok());
  EXPECT_FALSE(sum_over(seen(in, {3, 2}), seen_for_writing(out, {1, 3})).ok());
  EXPECT_FALSE(extreme_over(seen(in, {6}), true, seen_for_writing(integers, {1})).ok());
}

}  // namespace
}  // namespace forebay::kernels
