// What is written between an operation and its backward pass: gradients are right, or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/algebra/strided.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/functions/functions.h"
#include "forebay/ndarray/nn/activation.h"
#include "forebay/ndarray/nn/dense.h"
#include "forebay/ndarray/nn/normalization.h"
#include "forebay/ndarray/nn/optimizers.h"
#include "forebay/ndarray/nn/softmax.h"
#include "forebay/ndarray/node.h"
#include "forebay/ndarray/products/products.h"
#include "forebay/ndarray/selection/gathering.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using ::testing::AllOf;
using testing::array_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::values_of;

Array leaf(std::initializer_list<double> values, GradientMode mode = GradientMode::kWrite) {
  Array made = array_of(values, {static_cast<int64_t>(values.size())});
  EXPECT_EQ(mark_variable(made, *full(made.spec(), 0), mode), ok_status());
  return made;
}

Array recorded(const std::function<Result<Array>()>& made) {
  set_recording(true);
  Result<Array> result = made();
  set_recording(false);
  EXPECT_EQ(result.status(), ok_status());
  return *result;
}

std::string refusal_of(const Array& head) {
  const Status status = backward({&head, 1}, {});
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  return std::string(status.message());
}

std::vector<double> gradient_by(const Array& head, const Array& variable) {
  EXPECT_EQ(backward({&head, 1}, {}), ok_status());
  return values_of(gradient_of(variable));
}

TEST(SavedArraysTest, EachWayOfWritingIsSeen) {
  const kernels::UpdateOptions options{.lr = 1};
  const std::pair<const char*, std::function<Status(const Array&)>> ways[] = {
      {"fill", [](const Array& x) { return fill(x.detached(), 7); }},
      {"in place",
       [](const Array& x) { return with_scalar_into(ArithmeticOp::kAdd, x.detached(), 1, x.detached()); }},
      {"copy",
       [](const Array& x) {
         return copy_into(array_of({7, 7, 7}, {3}), x.detached());
       }},
      {"move",
       [](const Array& x) {
         return move_into(array_of({7, 7, 7}, {3}), x.detached());
       }},
      {"add",
       [](const Array& x) {
         return add_into(array_of({7, 7, 7}, {3}), x);
       }},
      {"slice",
       [](const Array& x) {
         return assign_strided(array_of({7}, {1}), x.detached(), {tensor::Shape{1}, {1}, 2});
       }},
      {"rows",
       [](const Array& x) { return assign_rows(array_of({7}, {1}), array_of({1}, {1}), {}, x.detached()); }},
      {"optimizer",
       [&](const Array& x) {
         return update(kernels::UpdateRule::kSgd, options, x, array_of({1, 1, 1}, {3}), {}, x);
       }},
      {"a view", [](const Array& x) { return fill(x.viewed({1}, 8), 7); }},
  };
  for (const auto& [name, write] : ways) {
    SCOPED_TRACE(name);
    const Array x = leaf({1, 2, 3});
    const Array y = recorded([&] { return multiply(x, x); });
    ASSERT_EQ(write(x), ok_status());
    EXPECT_THAT(refusal_of(y),
                AllOf(HasSubstr("mul: input 0 (float64 3) was written in place"), HasSubstr("x.copy()")));
  }
}

TEST(SavedArraysTest, AResultThatIsReadIsSeenToo) {
  const Array x = leaf({1, 2});
  const Array y = recorded([&] { return unary(ArithmeticOp::kExp, x); });
  ASSERT_EQ(fill(y.detached(), 0), ok_status());
  EXPECT_THAT(refusal_of(y), HasSubstr("result 0 ("));
}

// Both would be twice the memory until backward().
TEST(SavedArraysTest, AnActivationKeepsItsResultOnly) {
  using kernels::Function;
  for (const Function function :
       {Function::kRelu, Function::kSigmoid, Function::kTanh, Function::kSoftrelu, Function::kSoftsign}) {
    const Array x = leaf({1, 2});
    const Array y = recorded([&] { return activation(function, x); });
    EXPECT_FALSE(y.node()->inputs[0].is_valid());
    ASSERT_EQ(fill(y.detached(), 0.5), ok_status());
    EXPECT_THAT(refusal_of(y), HasSubstr("result 0 ("));
  }
}

TEST(SavedArraysTest, WhatNoGradientReadsMayBeWritten) {
  const Array factor = array_of({5, 7}, {2});
  using Function = std::function<Result<Array>(const Array&)>;
  const std::pair<const char*, std::pair<Function, std::vector<double>>> cases[] = {
      {"sum", {[&](const Array& x) { return add(x, factor); }, {1, 1}}},
      {"product", {[&](const Array& x) { return multiply(x, factor); }, {5, 7}}},
      {"quotient", {[&](const Array& x) { return binary(ArithmeticOp::kDiv, x, factor); }, {1. / 5, 1. / 7}}},
      {"dot", {[&](const Array& x) { return dot(x, factor); }, {5, 7}}},
      {"mean", {[&](const Array& x) { return reduce(Reduction::kMean, x); }, {0.5, 0.5}}},
      {"take",
       {[&](const Array& x) {
          return take(x, array_of({1, 1}, {2}), 0, IndexMode::kClip);
        },
        {0, 2}}},
      {"where",
       {[&](const Array& x) {
          return where(array_of({0, 1}, {2}), x, factor);
        },
        {0, 1}}},
  };
  for (const auto& [name, expected] : cases) {
    SCOPED_TRACE(name);
    const Array x = leaf({1, 2});
    const Array y = recorded([&] { return expected.first(x); });
    ASSERT_EQ(fill(x.detached(), 100), ok_status());
    ASSERT_EQ(fill(y.detached(), 100), ok_status());
    EXPECT_EQ(gradient_by(y, x), expected.second);
  }
}

// Where MXNet's gradient follows from the operands, the result is the user's to write.
TEST(SavedArraysTest, AResultMayBeWrittenWhereTheGradientFollowsFromTheOperands) {
  const auto pair_of = [](const Array& x, ArithmeticOp op) {
    return binary(op, x, *with_scalar(ArithmeticOp::kAdd, x, 1));
  };
  for (const ArithmeticOp op : {ArithmeticOp::kDiv, ArithmeticOp::kPow, ArithmeticOp::kMod}) {
    SCOPED_TRACE(kernels::name_of(op));
    const Array x = leaf({1.5, 2});
    const std::vector<double> expected = gradient_by(recorded([&] { return pair_of(x, op); }), x);
    const Array y = recorded([&] { return pair_of(x, op); });
    ASSERT_EQ(fill(y.detached(), 100), ok_status());
    EXPECT_EQ(gradient_by(y, x), expected);
  }
  for (const bool is_with_number : {false, true}) {
    SCOPED_TRACE(is_with_number ? "hypot with a number" : "hypot");
    const Array x = leaf({3, 5});
    const Array sides = array_of({4, 12}, {2});
    const auto apply = [&] {
      return is_with_number ? apply_pairs(PairFunction::kHypot, x, 4)
                            : apply_pairs(PairFunction::kHypot, x, sides);
    };
    const std::vector<double> expected = gradient_by(recorded(apply), x);
    EXPECT_DOUBLE_EQ(expected[0], 0.6);
    const Array y = recorded(apply);
    EXPECT_EQ(y.node()->outputs[0].storage, nullptr);
    ASSERT_EQ(fill(y.detached(), 100), ok_status());
    EXPECT_EQ(gradient_by(y, x), expected);
  }
  for (const UnaryFunction function :
       {UnaryFunction::kReciprocal, UnaryFunction::kExpm1, UnaryFunction::kHardSigmoid, UnaryFunction::kRsqrt,
        UnaryFunction::kRcbrt, UnaryFunction::kGamma}) {
    SCOPED_TRACE(kernels::name_of(function));
    const Array x = leaf({0.25, 0.5});
    const FunctionParameters parameters{0.2, 0.5};
    const auto apply = [&] { return apply_function(function, x, parameters); };
    const std::vector<double> expected = gradient_by(recorded(apply), x);
    const Array y = recorded(apply);
    ASSERT_EQ(fill(y.detached(), 100), ok_status());
    EXPECT_EQ(gradient_by(y, x), expected);
  }
}

TEST(SavedArraysTest, PartsOfOneArrayAreToldApart) {
  const Array buffer = array_of({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array x = leaf({10, 20});
  const Array y = recorded([&] { return multiply(x, *row(buffer, 1)); });
  ASSERT_EQ(fill(buffer.viewed({2}, 0), 7), ok_status());
  ASSERT_EQ(assign_strided(array_of({8}, {1}), buffer, {tensor::Shape{2}, {1}, 4}), ok_status());
  ASSERT_EQ(backward({&y, 1}, {}, {.retain_graph = true}), ok_status());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(3, 4));
  EXPECT_THAT(values_of(buffer), ElementsAre(7, 7, 3, 4, 8, 8));
  ASSERT_EQ(assign_strided(array_of({9}, {1}), buffer, {tensor::Shape{1}, {1}, 3}), ok_status());
  EXPECT_THAT(refusal_of(y), HasSubstr("input 1 ("));
}

TEST(SavedArraysTest, ABufferIsFilledRowByRow) {
  for (const int64_t rows : {1100, 70000}) {
    SCOPED_TRACE(rows);
    const Array buffer = *full({tensor::Shape{rows, 2}, tensor::DType::kFloat64}, 3);
    const Array x = leaf({10, 20});
    const Array y = recorded([&] { return multiply(x, *row(buffer, 1)); });
    for (int64_t at = 0; at < rows; ++at) {
      if (at != 1) {
        ASSERT_EQ(fill(buffer.viewed({2}, static_cast<size_t>(at) * 2 * sizeof(double)), 7), ok_status());
      }
    }
    EXPECT_THAT(gradient_by(y, x), ElementsAre(3, 3));
  }
}

TEST(SavedArraysTest, AWriteThatComesBeforeTheOperationCountsForNothing) {
  const Array x = leaf({1, 2});
  for (int step = 1; step < 4; ++step) {
    ASSERT_EQ(fill(x.detached(), step), ok_status());
    const Array y = recorded([&] { return multiply(x, x); });
    EXPECT_THAT(gradient_by(y, x), ElementsAre(2 * step, 2 * step));
  }
}

TEST(SavedArraysTest, OfAGradientOnlyWhatItDependsOnMatters) {
  const Array a = leaf({2});
  const Array b = leaf({3});
  const Array y = recorded([&] { return multiply(a, b); });
  ASSERT_EQ(fill(a.detached(), 100), ok_status());
  const Arrays found = *gradients_of({&y, 1}, {&a, 1}, {}, {.retain_graph = true});
  EXPECT_THAT(values_of(found[0]), ElementsAre(3));
  EXPECT_THAT(refusal_of(y), HasSubstr("input 0 ("));
}

TEST(SavedArraysTest, MovingAveragesAndStepsAreNoHindrance) {
  const Array gamma = leaf({1, 1});
  const Array beta = leaf({0, 0});
  const Array mean = array_of({0, 0}, {2});
  const Array variance = array_of({1, 1}, {2});
  Array data = array_of({1, 2, 3, 5}, {2, 2});
  ASSERT_EQ(mark_variable(data, *full(data.spec(), 0), GradientMode::kAdd), ok_status());
  const auto normalized = [&] {
    set_training(true);
    const Arrays made = *batch_norm(data, gamma, beta, mean, variance, {.fix_gamma = false});
    set_training(false);
    return unary(ArithmeticOp::kExp, made[0]);
  };
  const Array first = recorded(normalized);
  const Array second = recorded(normalized);
  ASSERT_EQ(backward({&first, 1}, {}, {.retain_graph = true}), ok_status());
  const std::vector<double> once = values_of(gradient_of(data));
  ASSERT_EQ(fill(mean, 3), ok_status());
  ASSERT_EQ(with_scalar_into(ArithmeticOp::kAdd, beta.detached(), 1, beta.detached()), ok_status());
  ASSERT_EQ(backward({&first, 1}, {}), ok_status());
  ASSERT_EQ(backward({&second, 1}, {}), ok_status());
  EXPECT_DOUBLE_EQ(values_of(gradient_of(data))[1], 3 * once[1]);
}

}  // namespace
}  // namespace forebay::ndarray
