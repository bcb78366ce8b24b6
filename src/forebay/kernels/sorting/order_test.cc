#include "forebay/kernels/sorting/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace forebay::kernels {
namespace {

using testing::ElementsAre;

template <class T>
std::vector<int64_t> ordered(const std::vector<T>& values, const Lines& lines, int64_t k, bool ascending) {
  std::vector<int64_t> out(static_cast<size_t>(lines.count() * k));
  const tensor::TensorView view{
      values.data(), {tensor::Shape{static_cast<int64_t>(values.size())}, tensor::kDTypeOf<T>, {}}};
  order_lines(view, lines, k, ascending, 0, lines.count(), out.data());
  return out;
}

TEST(OrderTest, EqualValuesKeepTheirOrderBothWays) {
  const std::vector<float> values = {1, 1, 1, 0, 1};
  EXPECT_THAT(ordered(values, {1, 5, 1}, 5, true), ElementsAre(3, 0, 1, 2, 4));
  EXPECT_THAT(ordered(values, {1, 5, 1}, 5, false), ElementsAre(0, 1, 2, 4, 3));
  EXPECT_THAT(ordered(values, {1, 5, 1}, 3, false), ElementsAre(0, 1, 2));
}

TEST(OrderTest, NanIsBehindAll) {
  const std::vector<double> values = {std::nan(""), 2, 1, std::nan("")};
  EXPECT_THAT(ordered(values, {1, 4, 1}, 4, true), ElementsAre(2, 1, 0, 3));
  EXPECT_THAT(ordered(values, {1, 4, 1}, 4, false), ElementsAre(1, 2, 0, 3));
}

TEST(OrderTest, AllTypesKnowTheirSigns) {
  const std::vector<float> floats = {0,
                                     -std::numeric_limits<float>::infinity(),
                                     -0.0F,
                                     2,
                                     -2,
                                     std::nanf(""),
                                     std::numeric_limits<float>::infinity()};
  EXPECT_THAT(ordered(floats, {1, 7, 1}, 7, true), ElementsAre(1, 4, 0, 2, 3, 6, 5));
  EXPECT_THAT(ordered(floats, {1, 7, 1}, 7, false), ElementsAre(6, 3, 0, 2, 4, 1, 5));
  EXPECT_THAT(ordered(std::vector<int8_t>{-128, 127, 0}, {1, 3, 1}, 3, true), ElementsAre(0, 2, 1));
  EXPECT_THAT(ordered(std::vector<uint8_t>{128, 127, 255}, {1, 3, 1}, 3, false), ElementsAre(2, 0, 1));
  EXPECT_THAT(ordered(std::vector<int64_t>{-1, int64_t{1} << 40, 0}, {1, 3, 1}, 3, true),
              ElementsAre(0, 2, 1));
}

TEST(OrderTest, LinesMayLieAcross) {
  const std::vector<int32_t> values = {3, 1, 2, 1, 3, 2};  // 3 x 2
  EXPECT_THAT(ordered(values, {1, 3, 2}, 2, true), ElementsAre(1, 0, 0, 1));
}

TEST(RunningSumTest, AddsAlongTheAxis) {
  const std::vector<int8_t> values = {100, 1, 100, 2};
  std::vector<int8_t> out(4);
  const tensor::TensorView view{values.data(), {tensor::Shape{2, 2}, tensor::DType::kInt8, {}}};
  add_up_lines(view, {1, 2, 2}, 0, 2, out.data());
  EXPECT_THAT(out, ElementsAre(100, 1, static_cast<int8_t>(200), 3));
}

}  // namespace
}  // namespace forebay::kernels
