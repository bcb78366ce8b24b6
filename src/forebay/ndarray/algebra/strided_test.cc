#include "forebay/ndarray/algebra/strided.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/selection/ordering.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using testing::array_of;
using testing::check_gradients;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::random_array;
using testing::values_of;

TEST(StridedTest, TransposesFlipsAndSlices) {
  const Array x = array_of({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_THAT(values_of(*transpose(x, {})), ElementsAre(0, 3, 1, 4, 2, 5));
  const int last[] = {-1};
  EXPECT_THAT(values_of(*flip(x, last)), ElementsAre(2, 1, 0, 5, 4, 3));
  const AxisRange ranges[] = {{1, 1, 1}, {2, -2, 2}};
  const Array part = *slice(x, ranges);
  EXPECT_EQ(part.shape(), (tensor::Shape{1, 2}));
  EXPECT_THAT(values_of(part), ElementsAre(5, 3));
}

TEST(StridedTest, LargeTransposesAreExact) {
  const int64_t n = 700;
  std::vector<float> values(static_cast<size_t>(n * n));
  std::iota(values.begin(), values.end(), 0.0F);
  const Array y = *transpose(*copy_of_bytes(std::as_bytes(std::span(values)), {{n, n}}), {});
  const std::vector<double> got = values_of(y);
  for (int64_t i = 0; i < n; i += 37) {
    for (int64_t j = 0; j < n; ++j) {
      ASSERT_EQ(got[static_cast<size_t>(i * n + j)],
                static_cast<double>(values[static_cast<size_t>(j * n + i)]));
    }
  }
}

TEST(StridedTest, RefusesWhatIsNotThere) {
  const Array x = array_of({0, 1, 2, 3}, {2, 2});
  const int axes[] = {0, 0};
  EXPECT_EQ(transpose(x, axes).status().code(), StatusCode::kInvalidArgument);
  const int far[] = {2};
  EXPECT_THAT(std::string(flip(x, far).status().message()), HasSubstr("axis 2"));
  const AxisRange ranges[] = {{0, 1, 3}, {0, 1, 2}};
  EXPECT_EQ(slice(x, ranges).status().code(), StatusCode::kOutOfRange);
}

TEST(StridedTest, ADensePartSharesTheMemory) {
  const Array x = array_of({0, 1, 2, 3, 4, 5}, {3, 2});
  const Array part = *strided_view("slice", x, {{2, 2}, {2, 1}, 2});
  EXPECT_EQ(part.region().storage, x.region().storage);
  EXPECT_THAT(values_of(part), ElementsAre(2, 3, 4, 5));
  const Array columns = *strided_view("slice", x, {{3}, {2}, 1});
  EXPECT_NE(columns.region().storage, x.region().storage);
  EXPECT_THAT(values_of(columns), ElementsAre(1, 3, 5));
}

TEST(StridedTest, AssignsInPlaceWithBroadcastingAndConversion) {
  const Array x = *full({{2, 3}}, 0);
  ASSERT_TRUE(assign_strided(array_of({1, 2}, {2, 1}, tensor::DType::kInt32), x, {{2, 2}, {3, 2}, 0}).ok());
  EXPECT_THAT(values_of(x), ElementsAre(1, 0, 1, 2, 0, 2));
  EXPECT_EQ(assign_strided(array_of({1, 2, 3}, {3}), x, {{2, 2}, {3, 2}, 0}).code(),
            StatusCode::kInvalidArgument);
}

TEST(StridedTest, AssigningFromItselfSeesTheValuesBefore) {
  const Array x = array_of({1, 2, 3}, {3});
  ASSERT_TRUE(assign_strided(x, x, {{3}, {-1}, 2}).ok());
  EXPECT_THAT(values_of(x), ElementsAre(3, 2, 1));
}

TEST(StridedTest, HasGradients) {
  const Array x = random_array({3, 4, 2}, 9);
  check_gradients([](std::span<const Array> in) { return transpose(in[0], std::vector<int>{2, 0, 1}); }, {x});
  check_gradients([](std::span<const Array> in) { return flip(in[0], std::vector<int>{1, 2}); }, {x});
  const AxisRange ranges[] = {{2, -1, 2}, {1, 2, 2}, {0, 1, 2}};
  check_gradients([&](std::span<const Array> in) { return slice(in[0], ranges); }, {x});
  check_gradients(
      [](std::span<const Array> in) {
        return strided_view("slice", in[0], {{2, 4, 2}, {8, 2, 1}, 8});
      },
      {x});
  check_gradients(
      [](std::span<const Array> in) {
        return place_strided("pad", in[0], {{5, 6, 2}, tensor::DType::kFloat64}, {{3, 4, 2}, {12, 2, 1}, 14},
                             3);
      },
      {x});
  check_gradients([](std::span<const Array> in) { return cumulative_sum(in[0], 1); }, {x});
}

}  // namespace
}  // namespace forebay::ndarray
