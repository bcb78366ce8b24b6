#include "forebay/kernels/functions/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "forebay/kernels/functions/pairs.h"
#include "forebay/kernels/functions/special_functions.h"

namespace forebay::kernels {
namespace {

using ::testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
std::vector<T> applied(UnaryFunction function, std::vector<T> values,
                       const FunctionParameters& parameters = {}) {
  apply_function(function, parameters, tensor::kDTypeOf<T>, values.data(),
                 static_cast<int64_t>(values.size()), values.data());
  return values;
}

/// How many floats are between the exact value and the result.
double distance_in_ulp(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact) || std::isinf(nearest) || nearest == 0) {
    return (std::isnan(exact) && std::isnan(got)) || got == nearest ? 0
           : std::abs(got - nearest) < 1e-44F                       ? 1
                                                                    : 1e9;
  }
  const double ulp =
      std::abs(static_cast<double>(std::nextafter(nearest, kInf)) - static_cast<double>(nearest));
  return std::abs(static_cast<double>(got) - exact) / ulp;
}

struct FastCase {
  UnaryFunction function;
  std::function<double(double)> exact;
  double low;
  double high;
};

double exact_sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(FastFunctionsTest, AreCloseToTheExactValues) {
  const FastCase cases[] = {
      {UnaryFunction::kExp, [](double x) { return std::exp(x); }, -87, 88.7},
      {UnaryFunction::kExpm1, [](double x) { return std::expm1(x); }, -20, 88.7},
      {UnaryFunction::kLog, [](double x) { return std::log(x); }, 1e-30, 1e30},
      {UnaryFunction::kLog, [](double x) { return std::log(x); }, 0.5, 2},
      {UnaryFunction::kLog1p, [](double x) { return std::log1p(x); }, -0.99, 100},
      {UnaryFunction::kLog2, [](double x) { return std::log2(x); }, 0.01, 100},
      {UnaryFunction::kLog10, [](double x) { return std::log10(x); }, 0.01, 100},
      {UnaryFunction::kTanh, [](double x) { return std::tanh(x); }, -12, 12},
      {UnaryFunction::kTanh, [](double x) { return std::tanh(x); }, -0.01, 0.01},
      {UnaryFunction::kSigmoid, exact_sigmoid, -80, 80},
      {UnaryFunction::kSqrt, [](double x) { return std::sqrt(x); }, 0, 1000},
      {UnaryFunction::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 1e-3, 1000},
  };
  for (const FastCase& each : cases) {
    std::vector<float> values;
    for (int i = 0; i < 20011; ++i) {
      values.push_back(static_cast<float>(each.low + (each.high - each.low) * i / 20010));
    }
    const std::vector<float> got = applied(each.function, values);
    double greatest = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      greatest = std::max(greatest, distance_in_ulp(got[i], each.exact(static_cast<double>(values[i]))));
    }
    EXPECT_LE(greatest, 5) << name_of(each.function) << " from " << each.low;
  }
}

TEST(FastFunctionsTest, HaveTheirValuesAtTheEnds) {
  const std::vector<float> ends = {0, -0.0F, kInf, -kInf, std::nanf(""), -1, 1000, -1000};
  const auto check = [&](UnaryFunction function, auto exact) {
    const std::vector<float> got = applied(function, ends);
    for (size_t i = 0; i < ends.size(); ++i) {
      EXPECT_LE(distance_in_ulp(got[i], exact(static_cast<double>(ends[i]))), 5)
          << name_of(function) << " of " << ends[i] << " is " << got[i];
    }
  };
  check(UnaryFunction::kExp, [](double x) { return std::exp(x); });
  check(UnaryFunction::kExpm1, [](double x) { return std::expm1(x); });
  check(UnaryFunction::kLog, [](double x) { return std::log(x); });
  check(UnaryFunction::kLog1p, [](double x) { return std::log1p(x); });
  check(UnaryFunction::kLog2, [](double x) { return std::log2(x); });
  check(UnaryFunction::kLog10, [](double x) { return std::log10(x); });
  check(UnaryFunction::kTanh, [](double x) { return std::tanh(x); });
  check(UnaryFunction::kSigmoid, exact_sigmoid);
  check(UnaryFunction::kRelu, [](double x) { return x < 0 ? 0 : x; });
  check(UnaryFunction::kSin, [](double x) { return std::sin(x); });
}

TEST(FastFunctionsTest, SineKeepsItsDigitsFarOut) {
  const std::vector<float> got = applied<float>(UnaryFunction::kSin, {1.0F, 1e5F, 3e7F});
  EXPECT_NEAR(got[0], std::sin(1.0), 1e-6);
  EXPECT_NEAR(got[1], std::sin(1e5), 1e-6);
  EXPECT_NEAR(got[2], std::sin(3e7), 1e-6);
}

TEST(FastFunctionsTest, AnElementsBitsDoNotDependOnItsPlace) {
  std::vector<float> values;
  for (int i = 0; i < 67; ++i) {
    values.push_back(-3.0F + 0.1F * static_cast<float>(i));
  }
  for (const UnaryFunction function :
       {UnaryFunction::kExp, UnaryFunction::kTanh, UnaryFunction::kLog1p, UnaryFunction::kSigmoid}) {
    const std::vector<float> together = applied(function, values);
    for (size_t i = 0; i < values.size(); ++i) {
      const float alone = applied<float>(function, {values[i]})[0];
      EXPECT_TRUE(alone == together[i] || (std::isnan(alone) && std::isnan(together[i]))) << i;
    }
  }
}

TEST(FunctionsTest, RoundAsMxnetDoes) {
  const std::vector<float> values = {1.5F, -2.5F, 0.5F, 2.5F, -0.5F};
  EXPECT_THAT(applied(UnaryFunction::kRound, values), ElementsAre(2, -3, 1, 3, -1));
  EXPECT_THAT(applied(UnaryFunction::kRint, values), ElementsAre(1, -3, 0, 2, -1));
  EXPECT_THAT(applied(UnaryFunction::kTrunc, values), ElementsAre(1, -2, 0, 2, 0));
  EXPECT_THAT(applied(UnaryFunction::kSign, values), ElementsAre(1, -1, 1, 1, -1));
}

TEST(FunctionsTest, IntegersKeepTheirType) {
  EXPECT_THAT(applied<int32_t>(UnaryFunction::kRelu, {1, -2}), ElementsAre(1, 0));
  EXPECT_THAT(applied<int32_t>(UnaryFunction::kExp, {1, 5}), ElementsAre(2, 148));
  EXPECT_THAT(applied<uint8_t>(UnaryFunction::kSquare, {3, 20}), ElementsAre(9, 144));
  EXPECT_THAT(applied<int32_t>(UnaryFunction::kClip, {-7, 0, 7}, {-1.5, 1.5}), ElementsAre(-1, 0, 1));
  EXPECT_THAT(applied<int64_t>(UnaryFunction::kSquare, {int64_t{1} << 31}), ElementsAre(int64_t{1} << 62));
}

TEST(FunctionsTest, HalvesGoThroughFloat) {
  const std::vector<tensor::Float16> got =
      applied<tensor::Float16>(UnaryFunction::kSigmoid, {tensor::Float16(1.5F)});
  EXPECT_NEAR(static_cast<float>(got[0]), 0.8173828F, 1e-6);
}

TEST(FunctionsTest, SmoothL1AndItsKin) {
  EXPECT_THAT(applied<double>(UnaryFunction::kSmoothL1, {1.5, -2.5, 0.5, 0}, {2, 0}),
              ElementsAre(1.375, 2.375, 0.375, 0));
  EXPECT_THAT(applied<float>(UnaryFunction::kSmoothL1, {1.5F, -2.5F, 0.5F}, {1, 0}),
              ElementsAre(1, 2, 0.125F));
  EXPECT_THAT(applied<float>(UnaryFunction::kHardSigmoid, {1.5F, -3, 9}, {0.5, 0.25}), ElementsAre(1, 0, 1));
  const std::vector<double> replaced = applied<double>(UnaryFunction::kReplaceNan, {std::nan(""), 2}, {7, 0});
  EXPECT_THAT(replaced, ElementsAre(7, 2));
}

TEST(FunctionsTest, NamesAreFoundAgain) {
  for (int i = 0; i < kFunctionCount; ++i) {
    const auto function = static_cast<UnaryFunction>(i);
    EXPECT_EQ(*function_of(name_of(function)), function);
  }
  EXPECT_EQ(function_of("nothing").status().code(), StatusCode::kNotFound);
}

TEST(SpecialFunctionsTest, InverseErfUndoesErf) {
  for (double y = -4; y <= 4; y += 0.125) {
    const double x = std::erf(y);
    EXPECT_NEAR(std::erf(inverse_erf(x)), x, 1e-15) << y;
    if (std::abs(y) < 2.5) {
      EXPECT_NEAR(inverse_erf(x), y, 1e-12 * std::max(1.0, std::abs(y))) << y;
    }
  }
  EXPECT_EQ(inverse_erf(1), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(inverse_erf(1.5)));
}

TEST(SpecialFunctionsTest, DigammaIsTheSlopeOfLogGamma) {
  EXPECT_NEAR(digamma(1), -0.57721566490153286, 1e-14);
  EXPECT_NEAR(digamma(0.5), -1.9635100260214235, 1e-13);
  for (const double x : {0.3, 2.7, 11.5, 100.0}) {
    const double slope = (std::lgamma(x + 1e-5) - std::lgamma(x - 1e-5)) / 2e-5;
    EXPECT_NEAR(digamma(x), slope, 1e-8 * std::max(1.0, std::abs(slope)));
  }
  EXPECT_NEAR(digamma(-0.5), 0.03648997397857652, 1e-13);
  EXPECT_TRUE(std::isnan(digamma(-2)));
}

TEST(PairsTest, ModuloHasTheSignOfTheDivisor) {
  const std::vector<float> a = {1.5F, -2.5F, 0.5F, 5, -5, 3};
  const std::vector<float> b = {-2, 2, -2, -0.5F, 3, 0};
  std::vector<float> out(a.size());
  apply_pairs(PairFunction::kModulo, tensor::DType::kFloat, a.data(), 1, b.data(), 1, 6, out.data());
  EXPECT_THAT(out, ElementsAre(-0.5F, 1.5F, -1.5F, 0, 1, 0));
  const std::vector<int32_t> c = {-7, 7, std::numeric_limits<int32_t>::min()};
  const std::vector<int32_t> d = {4, -4, -1};
  std::vector<int32_t> whole(3);
  apply_pairs(PairFunction::kModulo, tensor::DType::kInt32, c.data(), 1, d.data(), 1, 3, whole.data());
  EXPECT_THAT(whole, ElementsAre(1, -1, 0));
}

TEST(PairsTest, LogicIsInTheOperandsType) {
  const std::vector<double> a = {0, 2, 0, -1};
  const std::vector<double> b = {0, 0, 3, 4};
  std::vector<double> out(4);
  apply_pairs(PairFunction::kLogicalXor, tensor::DType::kFloat64, a.data(), 1, b.data(), 1, 4, out.data());
  EXPECT_THAT(out, ElementsAre(0, 1, 1, 0));
  apply_pairs(PairFunction::kLogicalAnd, tensor::DType::kFloat64, a.data(), 1, b.data() + 2, 0, 4,
              out.data());
  EXPECT_THAT(out, ElementsAre(0, 1, 0, 1));
}

}  // namespace
}  // namespace forebay::kernels
