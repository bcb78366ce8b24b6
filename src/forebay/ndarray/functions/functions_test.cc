#include "forebay/ndarray/functions/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using testing::array_of;
using testing::check_gradients;
using ::testing::ElementsAre;
using testing::random_array;
using testing::values_of;

struct Case {
  UnaryFunction function;
  double low = -0.9;
  double high = 0.9;
  FunctionParameters parameters;
};

TEST(FunctionsTest, HaveGradients) {
  const Case cases[] = {
      {UnaryFunction::kExp},
      {UnaryFunction::kExpm1},
      {UnaryFunction::kLog, 0.1, 3},
      {UnaryFunction::kLog1p},
      {UnaryFunction::kLog2, 0.1, 3},
      {UnaryFunction::kLog10, 0.1, 3},
      {UnaryFunction::kTanh},
      {UnaryFunction::kSigmoid},
      {UnaryFunction::kSqrt, 0.1, 3},
      {UnaryFunction::kRsqrt, 0.1, 3},
      {UnaryFunction::kSin},
      {UnaryFunction::kCos},
      {UnaryFunction::kRelu},
      {UnaryFunction::kSquare},
      {UnaryFunction::kReciprocal, 0.2, 3},
      {UnaryFunction::kSoftsign},
      {UnaryFunction::kClip, -1, 1, {-0.5, 0.4}},
      {UnaryFunction::kHardSigmoid, -4, 4, {0.2, 0.5}},
      {UnaryFunction::kSmoothL1, -2, 2, {1.2, 0}},
      {UnaryFunction::kCbrt, 0.1, 3},
      {UnaryFunction::kRcbrt, 0.1, 3},
      {UnaryFunction::kTan},
      {UnaryFunction::kArcsin},
      {UnaryFunction::kArccos},
      {UnaryFunction::kArctan},
      {UnaryFunction::kSinh},
      {UnaryFunction::kCosh},
      {UnaryFunction::kArcsinh},
      {UnaryFunction::kArccosh, 1.2, 3},
      {UnaryFunction::kArctanh},
      {UnaryFunction::kErf},
      {UnaryFunction::kErfinv},
      {UnaryFunction::kGamma, 0.5, 3},
      {UnaryFunction::kGammaln, 0.5, 3},
      {UnaryFunction::kRound, 0.1, 0.4},
      {UnaryFunction::kRint, 0.1, 0.4},
      {UnaryFunction::kTrunc, 0.1, 0.9},
      {UnaryFunction::kFloor, 0.1, 0.9},
      {UnaryFunction::kCeil, 0.1, 0.9},
      {UnaryFunction::kSign, 0.1, 0.9},
      {UnaryFunction::kDegrees},
      {UnaryFunction::kRadians},
      {UnaryFunction::kReplaceNan},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(kernels::name_of(each.function));
    check_gradients(
        [&](std::span<const Array> inputs) {
          return apply_function(each.function, inputs[0], each.parameters);
        },
        {random_array({7}, 3, each.low, each.high)}, 1e-5);
  }
}

TEST(FunctionsTest, PairsHaveGradients) {
  for (const PairFunction function : {PairFunction::kModulo, PairFunction::kHypot}) {
    SCOPED_TRACE(kernels::name_of(function));
    check_gradients(
        [&](std::span<const Array> inputs) { return apply_pairs(function, inputs[0], inputs[1]); },
        {random_array({2, 3}, 5, 2.1, 2.9), random_array({3}, 6, 0.8, 0.99)});
    for (const bool reversed : {false, true}) {
      check_gradients(
          [&](std::span<const Array> inputs) { return apply_pairs(function, inputs[0], 1.75, reversed); },
          {random_array({2, 3}, 5, 0.9, 1.7)});
    }
  }
}

TEST(FunctionsTest, PairsBroadcastAndRefuse) {
  const Array column = array_of({5, -5}, {2, 1});
  const Array line = array_of({3, -3}, {2});
  EXPECT_THAT(values_of(*apply_pairs(PairFunction::kModulo, column, line)), ElementsAre(2, -1, 1, -2));
  EXPECT_EQ(apply_pairs(PairFunction::kModulo, line, array_of({1, 2, 3}, {3})).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      apply_pairs(PairFunction::kModulo, column, array_of({1}, {1}, tensor::DType::kInt32)).status().code(),
      StatusCode::kInvalidArgument);
}

TEST(FunctionsTest, AreComputedInPlace) {
  const Array x = *full({{100000}}, -2);
  ASSERT_TRUE(apply_function_into(UnaryFunction::kRelu, x, {}, x).ok());
  EXPECT_EQ(values_of(x)[99999], 0);
}

TEST(FunctionsTest, OfIntegersStayIntegers) {
  const Array x = array_of({1, 5}, {2}, tensor::DType::kInt32);
  const Array y = *unary(ArithmeticOp::kExp, x);
  EXPECT_EQ(y.dtype(), tensor::DType::kInt32);
  EXPECT_THAT(values_of(y), ElementsAre(2, 148));
}

TEST(StopGradientTest, LeavesNothingOfAnOlderGradient) {
  Array x = array_of({1, 2}, {2});
  ASSERT_TRUE(mark_variable(x, *full(x.spec(), 7), GradientMode::kWrite).ok());
  set_recording(true);
  const Array stopped = *stop_gradient(x);
  set_recording(false);
  ASSERT_TRUE(backward({&stopped, 1}, {}).ok());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(0, 0));
}

TEST(FunctionsTest, ComparisonsHaveTheGradientZero) {
  check_gradients(
      [](std::span<const Array> inputs) {
        const Array flags = *binary(ArithmeticOp::kLess, inputs[0], inputs[1]);
        return multiply(*unary(ArithmeticOp::kFloor, *add(flags, inputs[0])), inputs[1]);
      },
      {random_array({5}, 1, 0.2, 0.8), random_array({5}, 2, 0.2, 0.8)});
}

TEST(MakeLossTest, ForgetsWhatComesFromBehind) {
  Array x = array_of({1, 2}, {2});
  ASSERT_TRUE(mark_variable(x, *full(x.spec(), 0), GradientMode::kWrite).ok());
  set_recording(true);
  const Array loss = *scaled(*make_loss(x, 0.5), 100);
  set_recording(false);
  ASSERT_TRUE(backward({&loss, 1}, {}).ok());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(0.5, 0.5));
}

}  // namespace
}  // namespace forebay::ndarray
