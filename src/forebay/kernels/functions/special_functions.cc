#include "forebay/kernels/functions/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace forebay::kernels {

double inverse_erf(double x) {
  if (!(std::abs(x) < 1)) {
    return std::abs(x) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), x)
                            : std::numeric_limits<double>::quiet_NaN();
  }
  // Winitzki's closed form is within 0.2 % ("A handy approximation for the error function and its inverse",
  // 2008); each Newton-Halley step triples the number of correct digits.
  constexpr double kA = 0.147;
  const double logarithm = std::log1p(-x * x);
  const double half = 2 / (std::numbers::pi * kA) + logarithm / 2;
  double y = std::copysign(std::sqrt(std::sqrt(half * half - logarithm / kA) - half), x);
  for (int step = 0; step < 3; ++step) {
    // erfc keeps its precision where erf is close to 1.
    const double tail = (1 - std::abs(x)) - std::erfc(std::abs(y));
    const double error = std::abs(x) < 0.5 ? std::erf(y) - x : (x < 0 ? -tail : tail);
    const double newton = error / (2 * std::numbers::inv_sqrtpi * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return y;
}

double digamma(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  }
  double below = 0;
  for (; x < 10; x += 1) {
    below += 1 / x;
  }
  const double t = 1 / (x * x);
  const double series =
      t *
      (1.0 / 12 - t * (1.0 / 120 - t * (1.0 / 252 - t * (1.0 / 240 - t * (1.0 / 132 - t * 691.0 / 32760)))));
  return std::log(x) - 0.5 / x - series - below;
}

float log_gamma(float x) {
  int sign = 0;
  return ::lgammaf_r(x, &sign);
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace forebay::kernels
