#include "forebay/kernels/sorting/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace forebay::kernels {
namespace {

using ::testing::ElementsAre;

template <class T>
std::vector<int64_t> ordered(const std::vector<T>& values, const Lines& lines, int64_t k, bool ascending) {
  std::vector<int64_t> out(static_cast<size_t>(lines.count() * k));
  const tensor::TensorView view{
      values.data(), {tensor::Shape{static_cast<int64_t>(values.size())}, tensor::kDTypeOf<T>, {}}};
  EXPECT_TRUE(order_lines(view, lines, k, ascending, 0, lines.count(), out.data()).ok());
  return out;
}

template <class T>
std::vector<T> sorted(const std::vector<T>& values, const Lines& lines, bool ascending) {
  std::vector<T> out(values.size());
  const tensor::TensorView view{
      values.data(), {tensor::Shape{static_cast<int64_t>(values.size())}, tensor::kDTypeOf<T>, {}}};
  EXPECT_TRUE(sort_lines(view, lines, ascending, 0, lines.count(), out.data()).ok());
  return out;
}

/// Many values with many duplicates, including the extremes.
template <class T>
std::vector<T> many_values(int64_t count) {
  using Limits = std::numeric_limits<T>;
  std::mt19937 random(7);
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<int>(random() % 4000) - 2000;
    values.push_back(static_cast<T>(std::is_signed_v<T> ? number : std::abs(number)));
  }
  values[3] = Limits::max();
  values[70] = Limits::lowest();
  if constexpr (std::is_floating_point_v<T>) {
    values[5] = -T{0};
    values[80] = values[4] = Limits::infinity();
    values[90] = -Limits::infinity();
    values[6] = values[100] = Limits::quiet_NaN();
    values[8] = -Limits::quiet_NaN();
    values[9] = Limits::denorm_min();
  }
  return values;
}

/// The order according to std::stable_sort.
template <class T>
std::vector<int64_t> expected_order(const std::vector<T>& values, bool ascending) {
  std::vector<int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](int64_t a, int64_t b) {
    const T left = values[static_cast<size_t>(a)];
    const T right = values[static_cast<size_t>(b)];
    if (left != left || right != right) {
      return left == left;
    }
    return ascending ? left < right : left > right;
  });
  return places;
}

template <class T>
class LongLineTest : public ::testing::Test {};
using SortedTypes =
    ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float, double>;
TYPED_TEST_SUITE(LongLineTest, SortedTypes);

TYPED_TEST(LongLineTest, IsOrderedAsByAStableSort) {
  for (const int64_t count : {int64_t{127}, int64_t{128}, int64_t{5000}}) {
    const std::vector<TypeParam> values = many_values<TypeParam>(count);
    for (const bool ascending : {true, false}) {
      std::vector<int64_t> expected = expected_order(values, ascending);
      EXPECT_EQ(ordered(values, {1, count, 1}, count, ascending), expected);
      const std::vector<TypeParam> in_order = sorted(values, {1, count, 1}, ascending);
      for (int64_t i = 0; i < count; ++i) {
        const TypeParam want = values[static_cast<size_t>(expected[static_cast<size_t>(i)])];
        const TypeParam got = in_order[static_cast<size_t>(i)];
        EXPECT_TRUE(got == want || (got != got && want != want)) << i;
      }
      for (const int64_t k : {int64_t{1}, count / 70, count / 2}) {
        expected.resize(static_cast<size_t>(k));
        EXPECT_EQ(ordered(values, {1, count, 1}, k, ascending),
                  std::vector<int64_t>(expected.begin(), expected.begin() + k));
        expected = expected_order(values, ascending);
      }
    }
  }
}

/// Line `line` of values laid out according to `lines`.
template <class T>
std::vector<T> line_of(const std::vector<T>& values, const Lines& lines, int64_t length, int64_t line) {
  std::vector<T> found;
  for (int64_t j = 0; j < length; ++j) {
    const int64_t place = (line / lines.inner * length + j) * lines.inner + line % lines.inner;
    found.push_back(values[static_cast<size_t>(place)]);
  }
  return found;
}

TYPED_TEST(LongLineTest, ManyLinesAreSortedAsEachAlone) {
  for (const int64_t length : {1, 2, 3, 17, 64, 100, 200}) {
    for (const Lines& lines : {Lines{37, length, 1}, Lines{1, length, 37}, Lines{3, length, 9}}) {
      const std::vector<TypeParam> values = many_values<TypeParam>(lines.count() * length + 101);
      const std::vector<TypeParam> all(values.begin(), values.begin() + lines.count() * length);
      const int64_t k = (length + 1) / 2;
      const std::vector<int64_t> order = ordered(all, lines, k, false);
      const std::vector<TypeParam> in_order = sorted(all, lines, true);
      for (int64_t line = 0; line < lines.count(); ++line) {
        const std::vector<TypeParam> one = line_of(all, lines, length, line);
        EXPECT_EQ(line_of(order, lines, k, line), ordered(one, {1, length, 1}, k, false));
        const std::vector<TypeParam> got = line_of(in_order, lines, length, line);
        const std::vector<TypeParam> want = sorted(one, {1, length, 1}, true);
        EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(TypeParam)), 0);
      }
    }
  }
}

TEST(SortTest, HalvesAndFlags) {
  using tensor::Float16;
  std::vector<Float16> values;
  std::vector<float> expected;
  for (int i = 0; i < 300; ++i) {
    values.emplace_back(static_cast<float>((i * 37) % 300 - 150));
    expected.push_back(static_cast<float>(i - 150));
  }
  const std::vector<Float16> in_order = sorted(values, {1, 300, 1}, true);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(static_cast<float>(in_order[i]), expected[i]);
  }
  const bool flags[] = {true, false, true};
  bool out[3];
  const tensor::TensorView view{flags, {tensor::Shape{3}, tensor::DType::kBool, {}}};
  ASSERT_TRUE(sort_lines(view, {1, 3, 1}, true, 0, 1, out).ok());
  EXPECT_THAT(out, ElementsAre(false, true, true));
}

TEST(SortTest, ZerosBySignAndNanBehindAll) {
  const std::vector<float> values = {std::nanf(""), 0.0F, -0.0F, -1.0F};
  const std::vector<float> up = sorted(values, {1, 4, 1}, true);
  EXPECT_EQ(up[0], -1);
  EXPECT_TRUE(std::signbit(up[1]) && !std::signbit(up[2]) && std::isnan(up[3]));
  const std::vector<float> down = sorted(values, {1, 4, 1}, false);
  EXPECT_EQ(down[2], -1);
  EXPECT_TRUE(!std::signbit(down[0]) && std::signbit(down[1]) && std::isnan(down[3]));
}

TEST(SortTest, LinesMayLieAcrossAndBeEmpty) {
  EXPECT_THAT(sorted(std::vector<int32_t>{3, 1, 2, 1, 3, 2}, {1, 3, 2}, true), ElementsAre(2, 1, 3, 1, 3, 2));
  EXPECT_TRUE(sorted(std::vector<int32_t>{}, {2, 0, 1}, true).empty());
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
