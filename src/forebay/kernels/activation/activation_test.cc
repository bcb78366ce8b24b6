#include "forebay/kernels/activation/activation.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace forebay::kernels {
namespace {

struct FunctionCase {
  Function function;
  const char* name;
  double (*exact)(double);
  double most_ulp;
};

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double softrelu(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

const FunctionCase kFunctions[] = {
    {Function::kExp, "exp", [](double x) { return std::exp(x); }, 1},
    {Function::kExpm1, "expm1", [](double x) { return std::expm1(x); }, 2},
    {Function::kLog, "log", [](double x) { return std::log(x); }, 1},
    {Function::kLog1p, "log1p", [](double x) { return std::log1p(x); }, 1.5},
    {Function::kSigmoid, "sigmoid", sigmoid, 2.5},
    {Function::kTanh, "tanh", [](double x) { return std::tanh(x); }, 3},
    {Function::kSoftrelu, "softrelu", softrelu, 2},
};

/// Every `step`-th float, of both signs.
std::vector<float> floats(uint32_t step) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < 0x7f800000; bits += step) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    values.push_back(-values.back());
  }
  return values;
}

/// The distance in units in the last place of `exact`; 0 if `exact` is not representable as float.
double ulp_between(float value, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact) || std::isinf(nearest)) {
    const bool is_same = std::isnan(exact) ? std::isnan(value) : value == nearest;
    // Near the largest float either is correct.
    return is_same || std::abs(value) > 3.4e38F ? 0 : 1e9;
  }
  const double unit = std::ldexp(1.0, std::max(std::ilogb(nearest == 0 ? 1e-45F : nearest), -126) - 23);
  return std::abs(value - exact) / unit;
}

TEST(ActivationTest, FloatsAreRightToAFewUnits) {
  const std::vector<float> in = floats(997);
  std::vector<float> out(in.size());
  for (const FunctionCase& each : kFunctions) {
    evaluate(each.function, in.data(), static_cast<int64_t>(in.size()), out.data());
    double worst = 0;
    float where = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const double error = ulp_between(out[i], each.exact(in[i]));
      if (error > worst) {
        worst = error;
        where = in[i];
      }
    }
    EXPECT_LE(worst, each.most_ulp) << each.name << " at " << where;
    RecordProperty(each.name, std::to_string(worst));
  }
}

TEST(ActivationTest, SpecialValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto at = [](Function function, float x) {
    evaluate(function, &x, 1, &x);
    return x;
  };
  for (const FunctionCase& each : kFunctions) {
    EXPECT_TRUE(std::isnan(at(each.function, kNan))) << each.name;
  }
  EXPECT_EQ(at(Function::kExp, -kInfinity), 0);
  EXPECT_EQ(at(Function::kExp, kInfinity), kInfinity);
  EXPECT_EQ(at(Function::kLog, 0), -kInfinity);
  EXPECT_EQ(at(Function::kLog, kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(at(Function::kLog, -1)));
  EXPECT_EQ(at(Function::kLog1p, -1), -kInfinity);
  EXPECT_EQ(at(Function::kLog1p, kInfinity), kInfinity);
  EXPECT_EQ(at(Function::kExpm1, -kInfinity), -1);
  EXPECT_EQ(at(Function::kTanh, -kInfinity), -1);
  EXPECT_EQ(at(Function::kSigmoid, -kInfinity), 0);
  EXPECT_EQ(at(Function::kSoftrelu, kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(at(Function::kRelu, kNan)));
  EXPECT_EQ(at(Function::kRelu, -3), 0);
}

TEST(ActivationTest, TheSameBitsOnEachTargetAndForEachCut) {
  const std::vector<float> in = floats(49999);
  const auto count = static_cast<int64_t>(in.size());
  for (const FunctionCase& each : kFunctions) {
    std::vector<float> expected(in.size());
    evaluate(each.function, in.data(), count, expected.data());
    const int64_t targets = hwy::SupportedTargets();
    for (int64_t left = targets; left != 0; left &= left - 1) {
      hwy::SetSupportedTargetsForTest(left & -left);
      std::vector<float> out(in.size());
      evaluate(each.function, in.data(), 13, out.data());
      evaluate(each.function, in.data() + 13, count - 13, out.data() + 13);
      for (size_t i = 0; i < in.size(); ++i) {
        const bool is_same = std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(expected[i]);
        ASSERT_TRUE(is_same || (std::isnan(out[i]) && std::isnan(expected[i])))
            << each.name << " at " << in[i] << " on target " << hwy::TargetName(left & -left);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(ActivationTest, DerivativesAreThoseOfDifferences) {
  for (const Function function : {Function::kExp, Function::kRelu, Function::kSigmoid, Function::kTanh,
                                  Function::kSoftrelu, Function::kSoftsign}) {
    for (const double x : {-2.5, -0.7, 0.3, 1.9}) {
      double around[] = {x - 1e-6, x, x + 1e-6};
      evaluate(function, around, 3, around);
      const double slope = (around[2] - around[0]) / 2e-6;
      const double g = 3;
      double exact = 0;
      multiply_by_derivative(function, &g, &around[1], 1, &exact);
      EXPECT_NEAR(exact, 3 * slope, 1e-6);
      const auto narrow_g = 3.0F;
      auto narrow = static_cast<float>(around[1]);
      multiply_by_derivative(function, &narrow_g, &narrow, 1, &narrow);
      EXPECT_NEAR(narrow, exact, 1e-5);
    }
  }
}

}  // namespace
}  // namespace forebay::kernels
