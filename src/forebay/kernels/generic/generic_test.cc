#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "forebay/kernels/generic/cast.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/kernels/generic/normalize.h"
#include "forebay/kernels/generic/rearrange.h"
#include "forebay/kernels/generic/slice.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Float16;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;
using ::testing::ElementsAre;

template <class T>
TensorView view(const std::vector<T>& values, const Shape& shape) {
  return {values.data(), {shape, tensor::kDTypeOf<T>, {}}};
}
template <class T>
MutableTensorView target(std::vector<T>& values, const Shape& shape) {
  values.resize(static_cast<size_t>(shape.volume()));
  return {values.data(), {shape, tensor::kDTypeOf<T>, {}}};
}

std::vector<int16_t> counting(int64_t size) {
  std::vector<int16_t> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Cast, RoundsHalfAwayFromZeroAndSaturates) {
  const std::vector<float> in{0.5f, -0.5f, 1.5f, 2.5f, -1.5f, 300, -3, NAN, 0.49999997f};
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(cast(view(in, {9}), target(bytes, {9})).ok());
  EXPECT_THAT(bytes, ElementsAre(1, 0, 2, 3, 0, 255, 0, 0, 0));
  std::vector<int8_t> small;
  ASSERT_TRUE(cast(view(in, {9}), target(small, {9})).ok());
  EXPECT_THAT(small, ElementsAre(1, -1, 2, 3, -2, 127, -3, 0, 0));
}

TEST(Cast, WhatRoundsToZeroIsFalse) {
  for (const double least : {0.5, 0.7, 1.0, 1e300, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    EXPECT_TRUE(convert_saturated<bool>(least) && convert_saturated<bool>(-least)) << least;
    EXPECT_TRUE(convert_saturated<bool>(static_cast<float>(least))) << least;
  }
  for (const double most : {0.0, 1e-300, 0.3, 0.4999}) {
    EXPECT_FALSE(convert_saturated<bool>(most) || convert_saturated<bool>(-most)) << most;
    EXPECT_FALSE(convert_saturated<bool>(static_cast<float>(most))) << most;
  }
  EXPECT_FALSE(convert_saturated<bool>(Float16(0.25f)));
  EXPECT_TRUE(convert_saturated<bool>(Float16(0.5f)));
  EXPECT_TRUE(convert_saturated<bool>(int64_t{1} << 40));
  EXPECT_TRUE(FillValues(0.25f).as<bool>());
}

TEST(Cast, BetweenIntegersHalfAndBool) {
  const std::vector<int64_t> in{-1, 300, 0, std::numeric_limits<int64_t>::max()};
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(cast(view(in, {4}), target(bytes, {4})).ok());
  EXPECT_THAT(bytes, ElementsAre(0, 255, 0, 255));
  std::vector<Float16> halves;
  ASSERT_TRUE(cast(view(std::vector<float>{1, 65520, -2.5f}, {3}), target(halves, {3})).ok());
  EXPECT_EQ(static_cast<float>(halves[1]), INFINITY);
  std::vector<int32_t> back;
  ASSERT_TRUE(cast(view(halves, {3}), target(back, {3})).ok());
  EXPECT_THAT(back, ElementsAre(1, std::numeric_limits<int32_t>::max(), -3));
  EXPECT_FALSE(cast(view(in, {4}), target(back, {3})).ok());
}

// The element of `in` at a full index; nullopt outside.
template <class T>
std::optional<T> at(const std::vector<T>& in, const Shape& shape, const std::vector<int64_t>& index) {
  int64_t offset = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (index[axis] < 0 || index[axis] >= shape[axis]) {
      return std::nullopt;
    }
    offset = offset * shape[axis] + index[axis];
  }
  return in[static_cast<size_t>(offset)];
}

template <class F>
void for_each_index(const Shape& shape, F&& visit) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t element = 0; element < shape.volume(); ++element) {
    int64_t rest = element;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    visit(element, index);
  }
}

TEST(Slice, WindowsInsideAndOutside) {
  const Shape in_shape{5, 6, 3};
  const auto in = counting(90);
  for (const auto& [anchor, shape] : {std::pair(std::vector<int64_t>{1, 2, 0}, Shape{3, 3, 3}),
                                      std::pair(std::vector<int64_t>{-2, 4, -1}, Shape{9, 5, 5}),
                                      std::pair(std::vector<int64_t>{7, 0, 0}, Shape{2, 6, 3}),
                                      std::pair(std::vector<int64_t>{0, 0, 0}, Shape{0, 6, 3})}) {
    std::vector<float> fill(static_cast<size_t>(shape[2]));
    std::iota(fill.begin(), fill.end(), 1000.0f);
    std::vector<int16_t> out;
    ASSERT_TRUE(slice(view(in, in_shape), anchor, fill, 2, target(out, shape)).ok());
    for_each_index(shape, [&](int64_t element, const std::vector<int64_t>& index) {
      const std::vector<int64_t> from{index[0] + anchor[0], index[1] + anchor[1], index[2] + anchor[2]};
      EXPECT_EQ(out[element], at(in, in_shape, from).value_or(static_cast<int16_t>(1000 + index[2])));
    });
  }
  std::vector<int16_t> out;
  EXPECT_FALSE(slice(view(in, in_shape), std::vector<int64_t>{0, 0}, {}, 0, target(out, {2, 2, 3})).ok());
}

TEST(Subscript, AsPython) {
  const auto in = counting(24);  // 4 x 6
  const auto take = [&](std::vector<Subscript> subscripts) {
    const auto shape = subscripted_shape({4, 6}, subscripts);
    EXPECT_TRUE(shape.ok());
    std::vector<int16_t> out;
    EXPECT_TRUE(subscript(view(in, {4, 6}), subscripts, target(out, *shape)).ok());
    return out;
  };
  EXPECT_THAT(take({{.start = -1, .is_index = true}}), ElementsAre(19, 20, 21, 22, 23, 24));
  EXPECT_THAT(take({{.start = 1, .is_index = true}, {.start = 4, .stop = {}, .step = -2}}),
              ElementsAre(11, 9, 7));
  EXPECT_THAT(take({{.start = {}, .stop = {}, .step = 3}, {.start = -2, .stop = 100}}),
              ElementsAre(5, 6, 23, 24));
  EXPECT_THAT(take({{.start = 3, .stop = 1}}), ElementsAre());
  EXPECT_EQ(subscripted_shape({4}, std::vector<Subscript>{{.start = 4, .is_index = true}}).status().code(),
            StatusCode::kOutOfRange);
  EXPECT_FALSE(subscripted_shape({4}, std::vector<Subscript>{{.step = 0}}).ok());
}

TEST(Rearrange, FlipAndTransposeOfManyShapes) {
  const Shape shape{3, 40, 5, 2};
  const auto in = counting(shape.volume());
  const bool axes[] = {true, false, true, false};
  std::vector<int16_t> out;
  ASSERT_TRUE(flip(view(in, shape), axes, target(out, shape)).ok());
  for_each_index(shape, [&](int64_t element, const std::vector<int64_t>& i) {
    EXPECT_EQ(out[element], at(in, shape, {2 - i[0], i[1], 4 - i[2], i[3]}));
  });
  for (const std::vector<int>& p : {std::vector<int>{3, 0, 1, 2}, {1, 0, 3, 2}, {0, 1, 2, 3}, {2, 3, 0, 1}}) {
    const Shape turned{shape[p[0]], shape[p[1]], shape[p[2]], shape[p[3]]};
    ASSERT_TRUE(transpose(view(in, shape), p, target(out, turned)).ok());
    for_each_index(turned, [&](int64_t element, const std::vector<int64_t>& i) {
      std::vector<int64_t> from(4);
      for (int axis = 0; axis < 4; ++axis) {
        from[p[axis]] = i[axis];
      }
      EXPECT_EQ(out[element], at(in, shape, from));
    });
  }
  EXPECT_FALSE(transpose(view(in, shape), std::vector<int>{0, 0, 1, 2}, target(out, shape)).ok());
}

TEST(Rearrange, ConcatenateAndStack) {
  const auto a = counting(4);
  const std::vector<int16_t> b{10, 20};
  std::vector<int16_t> out;
  const std::vector<TensorView> parts{view(a, {2, 2}), view(b, {2, 1})};
  ASSERT_TRUE(concatenate(parts, 1, target(out, {2, 3})).ok());
  EXPECT_THAT(out, ElementsAre(1, 2, 10, 3, 4, 20));
  EXPECT_FALSE(concatenate(parts, 0, target(out, {3, 2})).ok());
  const std::vector<TensorView> same{view(a, {2, 2}), view(a, {2, 2})};
  ASSERT_TRUE(stack(same, 2, target(out, {2, 2, 2})).ok());
  EXPECT_THAT(out, ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_FALSE(stack(parts, 0, target(out, {2, 2, 2})).ok());
}

TEST(Normalize, TakesNothingOfAnEmptyAxis) {
  const std::vector<float> none;
  const std::vector<float> one{2};
  std::vector<float> out;
  EXPECT_TRUE(
      normalize(view(none, {0, 3}), view(none, {0, 1}), view(one, {1, 1}), 0, target(out, {0, 3})).ok());
  EXPECT_TRUE(
      normalize(view(none, {0, 3}), view(one, {1, 1}), view(none, {0, 1}), 0, target(out, {0, 3})).ok());
}

TEST(Normalize, StatisticsAndResult) {
  const std::vector<uint8_t> in{1, 2, 3, 4, 5, 60};  // 2 x 3
  const std::vector<int> axes{0};
  std::vector<double> sums(3);
  ASSERT_TRUE(add_sums(view(in, {2, 3}), axes, sums).ok());
  EXPECT_THAT(sums, ElementsAre(5, 7, 63));
  const std::vector<float> mean{2.5f, 3.5f, 31.5f};
  std::vector<double> squares(3);
  ASSERT_TRUE(add_squared_deviations(view(in, {2, 3}), axes, mean, squares).ok());
  EXPECT_THAT(squares, ElementsAre(4.5, 4.5, 1624.5));
  std::vector<float> multipliers(squares.size());
  multipliers_from_squares(squares, 2, 1, 0, 2, multipliers);
  EXPECT_FLOAT_EQ(multipliers[0], 2 / std::sqrt(4.5f));
  std::vector<float> out;
  ASSERT_TRUE(
      normalize(view(in, {2, 3}), view(mean, {1, 3}), view(multipliers, {1, 3}), 1, target(out, {2, 3}))
          .ok());
  EXPECT_FLOAT_EQ(out[0], -1.5f * multipliers[0] + 1);
  EXPECT_FLOAT_EQ(out[5], 28.5f * multipliers[2] + 1);
  std::vector<float> one{7};
  multipliers_from_squares(std::vector<double>{0}, 4, 0, 0, 1, one);
  EXPECT_THAT(one, ElementsAre(0));
  one[0] = 7;
  multipliers_from_squares(std::vector<double>{5}, 1, 1, 0, 1, one);
  EXPECT_THAT(one, ElementsAre(0));
  one[0] = 2;
  multipliers_from_stddev(one, 0, 3);
  EXPECT_THAT(one, ElementsAre(1.5f));
  EXPECT_FALSE(add_sums(view(in, {2, 3}), std::vector<int>{2}, sums).ok());
}

}  // namespace
}  // namespace forebay::kernels
