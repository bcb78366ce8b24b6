#include "forebay/kernels/arithmetic/arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::TensorView;
using ::testing::ElementsAre;

template <class Out, class A>
std::vector<Out> unary(std::string_view name, const std::vector<A>& a) {
  std::vector<Out> out(a.size());
  const Shape shape{static_cast<int64_t>(a.size())};
  const std::vector<TensorView> operands{{a.data(), {shape, tensor::kDTypeOf<A>, {}}}};
  const Status status =
      apply_arithmetic(*arithmetic_op_of(name), operands, {out.data(), {shape, tensor::kDTypeOf<Out>, {}}});
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

template <class Out, class A, class B>
std::vector<Out> binary(std::string_view name, const std::vector<A>& a, const std::vector<B>& b,
                        Shape shape_a = {}, Shape shape_b = {}) {
  shape_a = shape_a.rank() == 0 ? Shape{static_cast<int64_t>(a.size())} : shape_a;
  shape_b = shape_b.rank() == 0 ? Shape{static_cast<int64_t>(b.size())} : shape_b;
  const std::vector<TensorView> operands{{a.data(), {shape_a, tensor::kDTypeOf<A>, {}}},
                                         {b.data(), {shape_b, tensor::kDTypeOf<B>, {}}}};
  const Shape shape = *broadcast_shape(std::vector<Shape>{shape_a, shape_b});
  const auto size = static_cast<size_t>(shape.volume());
  const auto out = std::make_unique<Out[]>(size);  // std::vector<bool> has no data()
  const Status status =
      apply_arithmetic(*arithmetic_op_of(name), operands, {out.get(), {shape, tensor::kDTypeOf<Out>, {}}});
  EXPECT_TRUE(status.ok()) << status;
  return std::vector<Out>(out.get(), out.get() + size);
}

using I32 = std::vector<int32_t>;
using U8 = std::vector<uint8_t>;
using I8 = std::vector<int8_t>;

TEST(Promote, Table) {
  EXPECT_EQ(promote(DType::kUint8, DType::kInt8), DType::kInt16);
  EXPECT_EQ(promote(DType::kUint32, DType::kInt8), DType::kInt64);
  EXPECT_EQ(promote(DType::kUint64, DType::kInt8), DType::kInt64);
  EXPECT_EQ(promote(DType::kInt32, DType::kUint16), DType::kInt32);
  EXPECT_EQ(promote(DType::kInt64, DType::kFloat16), DType::kFloat16);
  EXPECT_EQ(promote(DType::kFloat, DType::kFloat64), DType::kFloat64);
  EXPECT_EQ(promote(DType::kBool, DType::kUint8), DType::kUint8);
  for (int a = 0; a <= 11; ++a) {
    for (int b = 0; b <= 11; ++b) {
      EXPECT_EQ(promote(static_cast<DType>(a), static_cast<DType>(b)),
                promote(static_cast<DType>(b), static_cast<DType>(a)));
    }
  }
}

TEST(Arithmetic, IntegersDivideTowardsZero) {
  EXPECT_THAT(binary<int32_t>("div", I32{7, -7, 7, -7, 5}, I32{3, 3, -3, -3, 0}),
              ElementsAre(2, -2, -2, 2, 0));
  EXPECT_THAT(binary<int32_t>("mod", I32{7, -7, 7, -7, 5}, I32{3, 3, -3, -3, 0}),
              ElementsAre(1, -1, 1, -1, 0));
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  EXPECT_THAT(binary<int32_t>("div", I32{kLowest}, I32{-1}), ElementsAre(kLowest));
  EXPECT_THAT(binary<float>("fdiv", I32{7, 5}, I32{2, 0}), ElementsAre(3.5f, INFINITY));
  EXPECT_THAT(binary<float>("mod", std::vector<float>{7.5f, -7.5f}, I32{3, 3}), ElementsAre(1.5f, -1.5f));
}

TEST(Arithmetic, WrapsAndPromotes) {
  EXPECT_THAT(binary<uint8_t>("add", U8{200}, U8{100}), ElementsAre(44));
  EXPECT_THAT(binary<int16_t>("add", U8{200}, I8{-2}), ElementsAre(198));
  EXPECT_THAT(binary<int32_t>("mul", I32{1 << 30}, I32{4}), ElementsAre(0));
  EXPECT_THAT(unary<uint8_t>("minus", U8{1, 2}), ElementsAre(255, 254));
  EXPECT_THAT(unary<int8_t>("abs", I8{-128, -3, 4}), ElementsAre(-128, 3, 4));
  EXPECT_THAT(unary<float>("floor", I8{-128}), ElementsAre(-128));
  EXPECT_THAT(unary<float>("sqrt", U8{4}), ElementsAre(2));
  EXPECT_THAT(unary<double>("exp", std::vector<double>{1}), ElementsAre(std::exp(1.0)));
}

TEST(Arithmetic, FloorsAndCeilingsAreThoseOfTheLibrary) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.0f,  -0.0f,      0.3f,        -0.3f,     1.0f,
                                  -1.0f, 2.5f,       -2.5f,       1e-38f,    -1e-38f,
                                  1e30f, 8388607.5f, -8388607.5f, kInfinity, -kInfinity};
  const std::vector<float> floors = unary<float>("floor", values);
  const std::vector<float> ceilings = unary<float>("ceil", values);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(floors[i], std::floor(values[i]));
    EXPECT_EQ(std::signbit(floors[i]), std::signbit(std::floor(values[i]))) << values[i];
    EXPECT_EQ(ceilings[i], std::ceil(values[i]));
    EXPECT_EQ(std::signbit(ceilings[i]), std::signbit(std::ceil(values[i]))) << values[i];
  }
  EXPECT_TRUE(std::isnan(unary<float>("floor", std::vector<float>{NAN})[0]));
}

TEST(Arithmetic, IntegerPowers) {
  EXPECT_THAT(binary<int32_t>("pow", I32{2, 3, -2, 0, 2, 1, -1}, I32{3, 4, 3, 0, -1, -1, -3}),
              ElementsAre(8, 81, -8, 1, 0, 0, 0));
  EXPECT_THAT(binary<float>("fpow", I32{2, 4}, I32{3, -1}), ElementsAre(8.0f, 0.25f));
}

TEST(Arithmetic, ComparesValues) {
  const std::vector<uint32_t> big{4294967295u};
  EXPECT_THAT(binary<bool>("eq", I32{-1}, big), ElementsAre(false));
  EXPECT_THAT(binary<bool>("lt", I32{-1}, big), ElementsAre(true));
  const std::vector<uint64_t> huge{std::numeric_limits<uint64_t>::max()};
  EXPECT_THAT(binary<bool>("lt", I32{-1}, huge), ElementsAre(true));
  EXPECT_THAT(binary<bool>("geq", huge, I32{-1}), ElementsAre(true));
  EXPECT_THAT(binary<bool>("eq", huge, std::vector<int64_t>{-1}), ElementsAre(false));
  EXPECT_THAT(binary<float>("lt", I32{-1, 5}, std::vector<int32_t>{0, 5}), ElementsAre(1.0F, 0.0F));
  const std::vector<float> nan{NAN};
  EXPECT_THAT(binary<bool>("eq", nan, nan), ElementsAre(false));
  EXPECT_THAT(binary<bool>("neq", nan, nan), ElementsAre(true));
  EXPECT_THAT(binary<bool>("leq", nan, nan), ElementsAre(false));
  EXPECT_THAT(binary<bool>("geq", nan, nan), ElementsAre(false));
}

TEST(Arithmetic, Bits) {
  EXPECT_THAT(binary<int16_t>("bitxor", U8{200}, I8{-2}), ElementsAre(-202));
  EXPECT_THAT(unary<uint8_t>("bitnot", U8{1, 0}), ElementsAre(254, 255));
  EXPECT_THAT(binary<uint8_t>("lshift", U8{1, 3}, U8{1, 3}), ElementsAre(2, 24));
  EXPECT_THAT(binary<int8_t>("rshift", I8{-8, 8, -8}, I8{1, 1, 100}), ElementsAre(-4, 4, -1));
  const bool bits[] = {true, false};
  const std::vector<TensorView> operands{{bits, {Shape{2}, DType::kBool, {}}}};
  bool out[2];
  ASSERT_TRUE(apply_arithmetic(ArithmeticOp::kBitNot, operands, {out, {Shape{2}, DType::kBool, {}}}).ok());
  EXPECT_FALSE(out[0]);
  EXPECT_TRUE(out[1]);
}

TEST(Arithmetic, ShortRowsMeetTheirChannels) {
  for (const int64_t channels : {2, 3, 7, 100}) {
    const int64_t rows = 2 * (1200 / channels);
    std::vector<uint8_t> pixels(static_cast<size_t>(rows * channels));
    I32 factors(static_cast<size_t>(2 * channels));
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<uint8_t>(i * 7);
    }
    for (size_t i = 0; i < factors.size(); ++i) {
      factors[i] = static_cast<int32_t>(i) - 3;
    }
    const auto products = binary<int32_t>("mul", pixels, factors, {2, rows / 2, channels}, {2, 1, channels});
    for (size_t i = 0; i < pixels.size(); ++i) {
      const size_t half = 2 * i / pixels.size();
      const size_t channel = i % static_cast<size_t>(channels);
      ASSERT_EQ(products[i], pixels[i] * factors[half * static_cast<size_t>(channels) + channel]);
    }
  }
}

TEST(Arithmetic, Broadcasts) {
  const I32 rows{1, 2, 3, 4, 5, 6};
  const I32 column{10, 20};
  EXPECT_THAT(binary<int32_t>("add", rows, column, {2, 3}, {2, 1}), ElementsAre(11, 12, 13, 24, 25, 26));
  EXPECT_THAT(binary<int32_t>("add", rows, I32{10, 20, 30}, {2, 3}, {3}),
              ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(binary<int32_t>("sub", I32{1, 2}, I32{1, 2, 3}, {2, 1, 1}, {1, 3}),
              ElementsAre(0, -1, -2, 1, 0, -1));
  EXPECT_FALSE(broadcast_shape(std::vector<Shape>{{2}, {3}}).ok());
  std::vector<float> big(3000, 2);
  const auto sums = binary<float>("mul", big, std::vector<float>{3}, {3, 1000}, {1});
  EXPECT_THAT(sums, ::testing::Each(6.0f));
}

TEST(Arithmetic, Clamps) {
  const U8 value{1, 200};
  const I8 low{-5};
  const std::vector<float> high{100};
  const std::vector<TensorView> operands{{value.data(), {Shape{2}, DType::kUint8, {}}},
                                         {low.data(), {Shape{1}, DType::kInt8, {}}},
                                         {high.data(), {Shape{}, DType::kFloat, {}}}};
  std::vector<float> out(2);
  ASSERT_TRUE(
      apply_arithmetic(ArithmeticOp::kClamp, operands, {out.data(), {Shape{2}, DType::kFloat, {}}}).ok());
  EXPECT_THAT(out, ElementsAre(1, 100));
}

TEST(Arithmetic, RefusesWhatHasNoMeaning) {
  const auto type = [](std::string_view name, std::vector<DType> operands) {
    return result_dtype(*arithmetic_op_of(name), operands);
  };
  EXPECT_FALSE(type("add", {DType::kBool, DType::kBool}).ok());
  EXPECT_EQ(*type("mul", {DType::kBool, DType::kBool}), DType::kBool);
  EXPECT_FALSE(type("minus", {DType::kBool}).ok());
  EXPECT_FALSE(type("bitor", {DType::kFloat, DType::kInt8}).ok());
  EXPECT_FALSE(type("add", {DType::kInt8}).ok());
  EXPECT_FALSE(arithmetic_op_of("frobnicate").ok());
}

}  // namespace
}  // namespace forebay::kernels
