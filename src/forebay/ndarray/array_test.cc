#include "forebay/ndarray/array.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/products/products.h"
#include "forebay/ndarray/runtime.h"
#include "forebay/ndarray/selection/gathering.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using testing::array_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::values_of;

TEST(ArrayTest, IsComputedWhenItIsRead) {
  const Array x = *full({{2, 3}}, 1.0);
  const Array y = *with_scalar(ArithmeticOp::kAdd, x, 1.0);
  EXPECT_THAT(values_of(y), ElementsAre(2, 2, 2, 2, 2, 2));
}

TEST(ArrayTest, TakesItsMemoryWhenItIsWritten) {
  const Array x = *Array::create({{1024, 1024}});
  EXPECT_FALSE(x.region().storage->has_memory());
  ASSERT_TRUE(fill(x, 3).ok());
  ASSERT_TRUE(x.wait().ok());
  EXPECT_TRUE(x.region().storage->has_memory());
}

TEST(ArrayTest, BroadcastsAndRefusesWhatDoesNotFit) {
  const Array column = array_of({1, 2}, {2, 1});
  const Array line = array_of({10, 20, 30}, {3});
  EXPECT_THAT(values_of(*add(column, line)), ElementsAre(11, 21, 31, 12, 22, 32));
  const auto refused = add(array_of({1, 2}, {2}), line);
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("add"));
}

TEST(ArrayTest, ViewsShareTheirMemory) {
  const Array x = array_of({0, 0, 0, 0}, {2, 2});
  const Array second = *row(x, 1);
  ASSERT_TRUE(fill(second, 7).ok());
  EXPECT_THAT(values_of(x), ElementsAre(0, 0, 7, 7));
  EXPECT_THAT(values_of(*reshape(x, {4})), ElementsAre(0, 0, 7, 7));
  EXPECT_EQ(row(x, 2).status().code(), StatusCode::kOutOfRange);
}

TEST(ArrayTest, InPlaceWorkIsOrdered) {
  const Array x = *full({{1000}, tensor::DType::kFloat64}, 0);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(with_scalar_into(ArithmeticOp::kAdd, x, 1, x).ok());
  }
  const Array sum = *reduce(Reduction::kSum, x);
  EXPECT_THAT(values_of(sum), ElementsAre(100000));
}

TEST(ArrayTest, AProductMayReplaceItsOperand) {
  const Array x = array_of({1, 2, 3, 4}, {2, 2});
  ASSERT_TRUE(copy_into(*dot(x, x), x).ok());
  EXPECT_THAT(values_of(x), ElementsAre(7, 10, 15, 22));
}

class Failing final : public Operation {
 public:
  std::string_view name() const override { return "failing"; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }
  Status run(const Operands&) const override { return data_loss("broken"); }
};

TEST(ArrayTest, AnErrorIsSeenByEachReaderUntilItIsOverwritten) {
  const Array x = *full({{4}}, 1);
  const Array bad = *apply_one(std::make_shared<Failing>(), {&x, 1});
  const Array after = *with_scalar(ArithmeticOp::kAdd, bad, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(std::string(after.wait().message()), HasSubstr("failing"));
    EXPECT_THAT(std::string(bad.wait().message()), HasSubstr("broken"));
  }
  ASSERT_TRUE(fill(after, 2).ok());
  EXPECT_THAT(values_of(after), ElementsAre(2, 2, 2, 2));
  EXPECT_FALSE(wait_for_all().ok());
}

TEST(ArrayTest, SharesATensorAndIsSharedAsOne) {
  const tensor::Tensor tensor = *tensor::Tensor::copy_of<float>(std::array<float, 3>{1, 2, 3}, {3});
  const Array x = *Array::share(tensor);
  EXPECT_EQ(x.tensor()->data(), tensor.data());
  const Array y = *scaled(x, 2);
  EXPECT_THAT(y.tensor()->view().span<float>(), ElementsAre(2, 4, 6));
}

TEST(ReduceTest, AnySetOfAxes) {
  std::vector<double> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Array x = *copy_of_bytes(std::as_bytes(std::span(numbers)), {{2, 3, 4}, tensor::DType::kFloat64});
  EXPECT_THAT(values_of(*reduce(Reduction::kSum, x, {.axes = {0, 2}})), ElementsAre(60, 92, 124));
  EXPECT_THAT(values_of(*reduce(Reduction::kSum, x, {.axes = {1}, .exclude = true})),
              ElementsAre(60, 92, 124));
  EXPECT_THAT(values_of(*reduce(Reduction::kMax, x, {.axes = {-1}})), ElementsAre(3, 7, 11, 15, 19, 23));
  EXPECT_THAT(values_of(*reduce(Reduction::kArgMin, x, {.axes = {0}}))[5], 0);
  const Array mean = *reduce(Reduction::kMean, x, {.keep_axes = true});
  EXPECT_EQ(mean.shape(), (tensor::Shape{1, 1, 1}));
  EXPECT_THAT(values_of(mean), ElementsAre(11.5));
}

TEST(ReduceTest, IndicesAreOfATypeThatHoldsThem) {
  using tensor::DType;
  const std::tuple<DType, int64_t, DType> cases[] = {
      {DType::kInt8, 128, DType::kInt8},        {DType::kInt8, 129, DType::kInt64},
      {DType::kUint8, 256, DType::kUint8},      {DType::kUint8, 257, DType::kInt64},
      {DType::kFloat16, 2049, DType::kFloat16}, {DType::kFloat16, 2050, DType::kInt64},
      {DType::kFloat, 70000, DType::kFloat},    {DType::kInt16, 70000, DType::kInt64},
  };
  for (const auto& [dtype, length, type_of_places] : cases) {
    SCOPED_TRACE(fmt::format("{} of {}", length, tensor::name_of(dtype)));
    const auto last = static_cast<double>(length - 1);
    const Array x = *one_hot(array_of({0, last}, {2}), length, 1, 0, dtype);
    const Array greatest = *reduce(Reduction::kArgMax, x, {.axes = {1}});
    EXPECT_EQ(greatest.dtype(), type_of_places);
    EXPECT_THAT(values_of(*cast(greatest, DType::kFloat64)), ElementsAre(0, last));
    EXPECT_THAT(values_of(*cast(*reduce(Reduction::kArgMin, *rows(x, 1, 2)), DType::kFloat64)),
                ElementsAre(0));
  }
}

TEST(ReduceTest, AProductHasAGradientAtZero) {
  Array x = array_of({2, 0, 3, 0, 5, 0, 7, 2, 4}, {3, 3});
  ASSERT_TRUE(mark_variable(x, *full(x.spec(), 0), GradientMode::kWrite).ok());
  set_recording(true);
  const Array y = *reduce(Reduction::kProduct, x, {.axes = {1}});
  set_recording(false);
  ASSERT_TRUE(backward({&y, 1}, {}).ok());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(0, 6, 0, 0, 0, 0, 8, 28, 14));
}

TEST(ReduceTest, SumsOfManyFloatsAreExactEnough) {
  const Array x = *full({{3000, 3000}}, 0.1F);
  const double exact = 9e6 * static_cast<double>(0.1F);
  EXPECT_NEAR(values_of(*reduce(Reduction::kSum, x))[0] / exact, 1, 1e-7);
  EXPECT_NEAR(values_of(*norm(x, 2))[0] / (3000 * static_cast<double>(0.1F)), 1, 1e-7);
}

TEST(ProductTest, LargeProductsAreThoseOfTheirParts) {
  const Array a = *cast(testing::random_array({700, 300}, 1), tensor::DType::kFloat);
  const Array b = *cast(testing::random_array({500, 300}, 2), tensor::DType::kFloat);
  const std::vector<double> whole = values_of(*dot(a, b, false, true));
  const std::vector<double> part = values_of(*dot(*rows(a, 300, 301), b, false, true));
  for (int i = 0; i < 500; ++i) {
    EXPECT_NEAR(whole[300 * 500 + i], part[i], 1e-4);
  }
}

TEST(GradientTest, OfArithmetic) {
  const auto check = [](ArithmeticOp op, double low, double high) {
    SCOPED_TRACE(kernels::name_of(op));
    const Array a = testing::random_array({3, 4}, 1, low, high);
    const Array b = testing::random_array({3, 1}, 2, low, high);
    if (kernels::operand_count(op) == 1) {
      testing::check_gradients([&](auto in) { return unary(op, in[0]); }, {a});
      return;
    }
    testing::check_gradients([&](auto in) { return binary(op, in[0], in[1]); }, {a, b});
    testing::check_gradients([&](auto in) { return with_scalar(op, in[0], 0.6); }, {a});
    testing::check_gradients([&](auto in) { return with_scalar(op, in[0], 0.6, true); }, {a});
  };
  for (auto op = static_cast<int>(ArithmeticOp::kPlus); op <= static_cast<int>(ArithmeticOp::kAtan2); ++op) {
    const auto each = static_cast<ArithmeticOp>(op);
    const bool is_step = each == ArithmeticOp::kBitNot || each == ArithmeticOp::kFloor ||
                         each == ArithmeticOp::kCeil || each == ArithmeticOp::kMod;
    if (!is_step) {
      check(each, each == ArithmeticOp::kAcosh ? 1.2 : 0.1, each == ArithmeticOp::kAcosh ? 2 : 0.9);
    }
  }
}

TEST(GradientTest, OfProductsReductionsAndViews) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Array a = testing::random_array(ta ? tensor::Shape{4, 3} : tensor::Shape{3, 4}, 1);
      const Array b = testing::random_array(tb ? tensor::Shape{2, 4} : tensor::Shape{4, 2}, 2);
      testing::check_gradients([&](auto in) { return dot(in[0], in[1], ta, tb); }, {a, b});
      const Array as = testing::random_array(ta ? tensor::Shape{2, 4, 3} : tensor::Shape{2, 3, 4}, 3);
      const Array bs = testing::random_array(tb ? tensor::Shape{2, 2, 4} : tensor::Shape{2, 4, 2}, 4);
      testing::check_gradients([&](auto in) { return batch_dot(in[0], in[1], ta, tb); }, {as, bs});
    }
  }
  const Array x = testing::random_array({2, 3, 4}, 5, 0.1, 1);
  for (const Reduction each :
       {Reduction::kSum, Reduction::kMean, Reduction::kSumOfSquares, Reduction::kNorm,
        Reduction::kSumOfMagnitudes, Reduction::kProduct, Reduction::kMax, Reduction::kMin}) {
    testing::check_gradients([&](auto in) { return reduce(each, in[0], {.axes = {0, 2}}); }, {x});
  }
  testing::check_gradients([&](auto in) { return norm(in[0], 2); }, {x});
  testing::check_gradients([&](auto in) { return row(in[0], 1); }, {x});
  testing::check_gradients(
      [&](auto in) {
        return broadcast_to(*reshape(in[0], {2, 3, 1, 4}), {2, 3, 5, 4});
      },
      {x});
}

TEST(AutogradTest, OfAGradient) {
  Array x = array_of({1, 2, 3}, {3});
  ASSERT_TRUE(mark_variable(x, *full(x.spec(), 0), GradientMode::kWrite).ok());
  set_recording(true);
  const Array cube = *multiply(x, *multiply(x, x));
  set_recording(false);
  const Arrays first = *gradients_of({&cube, 1}, {&x, 1}, {}, {.create_graph = true});
  EXPECT_THAT(values_of(first[0]), ElementsAre(3, 12, 27));
  ASSERT_TRUE(backward(first, {}).ok());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(6, 12, 18));
}

TEST(AutogradTest, AddsWhereAskedAndLetsTheGraphGo) {
  Array x = array_of({2}, {1});
  ASSERT_TRUE(mark_variable(x, *full(x.spec(), 1), GradientMode::kAdd).ok());
  set_recording(true);
  const Array y = *multiply(x, x);
  EXPECT_EQ(with_scalar_into(ArithmeticOp::kAdd, x, 1, x).code(), StatusCode::kFailedPrecondition);
  set_recording(false);
  ASSERT_TRUE(backward({&y, 1}, {}, {.retain_graph = true}).ok());
  ASSERT_TRUE(backward({&y, 1}, {}).ok());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(9));
  EXPECT_EQ(backward({&y, 1}, {}).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(backward({&x, 0}, {}).code(), StatusCode::kOk);
}

TEST(AutogradTest, KnowsWhichGradientsAreFresh) {
  Array used = array_of({2}, {1});
  Array unused = array_of({3}, {1});
  for (Array* const leaf : {&used, &unused}) {
    ASSERT_TRUE(mark_variable(*leaf, *full(leaf->spec(), 0), GradientMode::kWrite).ok());
    EXPECT_FALSE(gradient_is_fresh(*leaf));
  }
  set_recording(true);
  const Array y = *multiply(used, used);
  set_recording(false);
  ASSERT_TRUE(backward({&y, 1}, {}).ok());
  EXPECT_TRUE(gradient_is_fresh(used));
  EXPECT_FALSE(gradient_is_fresh(unused));
  EXPECT_FALSE(gradient_is_fresh(y));
  set_gradient_fresh(used, false);
  EXPECT_FALSE(gradient_is_fresh(used));
}

TEST(AutogradTest, LongChainsDoNotRecur) {
  Array x = array_of({1}, {1});
  ASSERT_TRUE(mark_variable(x, *full(x.spec(), 0), GradientMode::kWrite).ok());
  set_recording(true);
  Array y = x;
  for (int i = 0; i < 100000; ++i) {
    y = *with_scalar(ArithmeticOp::kAdd, y, 1);
  }
  set_recording(false);
  ASSERT_TRUE(backward({&y, 1}, {}).ok());
  EXPECT_THAT(values_of(gradient_of(x)), ElementsAre(1));
}

}  // namespace
}  // namespace forebay::ndarray
