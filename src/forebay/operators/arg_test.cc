// Arguments that become integers: a value that is not an integer gives an error that names it.
#include "forebay/operators/arg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "forebay/operators/parameter.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
Result<std::vector<int64_t>> ints_of_scalar(T value) {
  return ints_of(*Tensor::scalar<T>(value));
}

TEST(Arg, IntegersAreFloatsTruncated) {
  EXPECT_THAT(*ints_of_scalar(2.9F), ElementsAre(2));
  EXPECT_THAT(*ints_of_scalar(-2.9), ElementsAre(-2));
  EXPECT_THAT(*ints_of_scalar(-0x1p63), ElementsAre(std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(*ints_of_scalar(std::numeric_limits<int64_t>::min()),
              ElementsAre(std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(*ints_of_scalar(uint64_t{1} << 62), ElementsAre(int64_t{1} << 62));
}

TEST(Arg, WhatNoIntegerHoldsIsRefused) {
  for (const double wrong : {kNan, kInfinity, -kInfinity, 0x1p63, -0x1.8p63, 1e300}) {
    EXPECT_EQ(ints_of_scalar(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_EQ(ints_of_scalar(static_cast<float>(wrong)).status().code(), StatusCode::kInvalidArgument)
        << wrong;
    EXPECT_EQ(to_int(Value(wrong)).status().code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_EQ(to_ints(Value(std::vector<double>{1, wrong})).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(ints_of_scalar(std::numeric_limits<uint64_t>::max()).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(ArgumentValues, AreBorrowedWhereTheyLie) {
  const Tensor own = *Tensor::allocate({{5}, DType::kFloat, {}});
  const ArgumentFloats there = *ArgumentFloats::of(own);
  EXPECT_EQ(there.begin(), own.view().span<float>().begin());
  const ArgumentIntegers few = *ArgumentIntegers::of(*Tensor::scalar<float>(2.9F));
  const ArgumentIntegers moved = few;
  EXPECT_THAT(moved.span(), ElementsAre(2));
  EXPECT_EQ(moved.back(), moved[0]);
  EXPECT_TRUE(ArgumentFloats().empty());
  const Tensor many = testing::tensor_of<uint8_t>({1, 2, 3, 4, 5}, {5});
  EXPECT_THAT(ArgumentFloats::of(many)->span(), ElementsAre(1, 2, 3, 4, 5));
}

TEST(Arg, AnOperatorIsNotRunWithThem) {
  const Tensor image = *Tensor::allocate({{2, 2, 3}, DType::kUint8, Layout("HWC")});
  const auto flipped = testing::run_operator(
      "flip", {image}, {.tensors = {{"horizontal", *Tensor::scalar<float>(static_cast<float>(kNan))}}});
  EXPECT_EQ(flipped.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(flipped.status())),
              HasSubstr("nan was given where an integer is expected"));
}

}  // namespace
}  // namespace forebay::operators
