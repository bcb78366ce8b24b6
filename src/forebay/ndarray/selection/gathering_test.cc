#include "forebay/ndarray/selection/gathering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/ndarray/algebra/creation.h"
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

TEST(TakeTest, AlongAnyAxisAndModes) {
  const Array x = array_of({0, 1, 2, 3, 4, 5}, {2, 3});
  const Array places = array_of({2, -1, 5}, {3});
  EXPECT_THAT(values_of(*take(x, places, 1, IndexMode::kClip)), ElementsAre(2, 0, 2, 5, 3, 5));
  EXPECT_THAT(values_of(*take(x, places, -1, IndexMode::kWrap)), ElementsAre(2, 2, 2, 5, 5, 5));
  const Array one = array_of({1}, {1, 1}, tensor::DType::kInt64);
  EXPECT_EQ(take(x, one, 0, IndexMode::kClip)->shape(), (tensor::Shape{1, 1, 3}));
}

TEST(TakeTest, WhatIsOutOfRangeIsSeenByTheReader) {
  const Array x = array_of({0, 1, 2}, {3});
  const Array part = *take(x, array_of({0, 3}, {2}), 0, IndexMode::kRaise);
  EXPECT_EQ(part.wait().code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(part.wait().message()),
              HasSubstr("index 3 is out of bounds for axis 0 with size 3"));
}

TEST(PickTest, OneOfEachLine) {
  const Array x = array_of({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_THAT(values_of(*pick(x, array_of({2, 0}, {2}), 1, false, IndexMode::kClip)), ElementsAre(2, 3));
  const Array kept = *pick(x, array_of({1, 0, 1}, {3}), 0, true, IndexMode::kClip);
  EXPECT_EQ(kept.shape(), (tensor::Shape{1, 3}));
  EXPECT_THAT(values_of(kept), ElementsAre(3, 1, 5));
  EXPECT_EQ(pick(x, array_of({1, 0, 1}, {3}), 1, true, IndexMode::kClip).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(GatherTest, ByCoordinatesAndBack) {
  const Array x = array_of({0, 1, 2, 3, 4, 5}, {2, 3});
  const Array places = array_of({0, 1, 2, -1}, {2, 2}, tensor::DType::kInt32);
  EXPECT_THAT(values_of(*gather_nd(x, places)), ElementsAre(2, 5));
  const Array back = *scatter_nd(array_of({7, 8}, {2}), places, {2, 3});
  EXPECT_THAT(values_of(back), ElementsAre(0, 0, 7, 0, 0, 8));
  const Array twice = *scatter_nd(array_of({7, 8}, {2}), array_of({1, 1}, {1, 2}), {3});
  EXPECT_THAT(values_of(twice), ElementsAre(0, 8, 0));
}

TEST(GatherTest, AssignsRowsInPlace) {
  const Array x = *full({{3, 2}}, 0);
  ASSERT_TRUE(assign_rows(array_of({1, 2}, {2}), array_of({2, 0}, {2}), {2}, x).ok());
  EXPECT_THAT(values_of(x), ElementsAre(1, 2, 0, 0, 1, 2));
  EXPECT_EQ(assign_rows(array_of({1, 2, 3}, {3}), array_of({2, 0}, {2}), {2}, x).code(),
            StatusCode::kInvalidArgument);
}

TEST(GatherTest, HasGradients) {
  const Array x = random_array({4, 3}, 8);
  const Array repeated = array_of({1, 3, 1, 0}, {2, 2});
  check_gradients([&](auto in) { return take(in[0], repeated, 0, IndexMode::kClip); }, {x});
  check_gradients([&](auto in) { return take(in[0], array_of({2, 2, -1}, {3}), 1, IndexMode::kWrap); }, {x});
  check_gradients(
      [&](auto in) {
        return pick(in[0], array_of({2, 2, 0, 1}, {4}), 1, false, IndexMode::kClip);
      },
      {x});
  check_gradients([&](auto in) { return gather_nd(in[0], array_of({1, 3, 2, 0}, {2, 2})); }, {x});
  check_gradients([&](auto in) { return scatter_nd(in[0], array_of({1, 5, 2, 0}, {1, 4}), {6, 3}); }, {x});
  check_gradients([&](auto in) { return gather_rows(in[0], array_of({1, 1}, {2}), {2, 3}); }, {x});
  check_gradients([&](auto in) { return take_along_axis(in[0], *order(in[0], 0, 2, true), 0); }, {x});
}

TEST(WhereTest, ByElementAndByRow) {
  const Array a = array_of({1, 2, 3, 4}, {2, 2});
  const Array b = array_of({5, 6, 7, 8}, {2, 2});
  EXPECT_THAT(values_of(*where(array_of({1, 0, 0, 1}, {2, 2}), a, b)), ElementsAre(1, 6, 7, 4));
  EXPECT_THAT(values_of(*where(array_of({0, 1}, {2}), a, b)), ElementsAre(5, 6, 3, 4));
  EXPECT_EQ(where(array_of({0, 1, 1}, {3}), a, b).status().code(), StatusCode::kInvalidArgument);
  check_gradients([](auto in) { return where(array_of({0, 1}, {2}), in[0], in[1]); }, {a, b});
}

TEST(OneHotTest, IndicesOutOfRangeAreOff) {
  const Array hot = *one_hot(array_of({1, 7, -1}, {3}), 2, 9, 1, tensor::DType::kInt32);
  EXPECT_EQ(hot.dtype(), tensor::DType::kInt32);
  EXPECT_THAT(values_of(hot), ElementsAre(1, 9, 1, 1, 1, 1));
}

}  // namespace
}  // namespace forebay::ndarray
