#include "forebay/kernels/random/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "forebay/kernels/functions/special_functions.h"

namespace forebay::kernels {
namespace {

constexpr std::array<std::string_view, 7> kDistributionNames = {"uniform",
                                                                "normal",
                                                                "exponential",
                                                                "gamma",
                                                                "poisson",
                                                                "negative_binomial",
                                                                "generalized_negative_binomial"};

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double open_uniform(RandomStream& stream) {  // in (0, 1]
  return 1.0 - stream.uniform_double();
}

double draw_gamma(RandomStream& stream, double shape, double scale) {
  if (!(shape > 0) || !(scale >= 0)) {
    return kNotANumber;
  }
  // Shapes below 1 are derived from shape + 1: section 6 of the paper.
  const double boost = shape < 1 ? std::pow(open_uniform(stream), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double root = 1 + c * x;
    if (root <= 0) {
      continue;
    }
    const double v = root * root * root;
    if (std::log(open_uniform(stream)) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return boost * d * v * scale;
    }
  }
}

double draw_small_poisson(RandomStream& stream, double mean) {
  const double limit = std::exp(-mean);
  double product = open_uniform(stream);
  double count = 0;
  for (; product > limit; ++count) {
    product *= open_uniform(stream);
  }
  return count;
}

double draw_large_poisson(RandomStream& stream, double mean) {
  const double log_mean = std::log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.uniform_double() - 0.5;
    const double v = open_uniform(stream);
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) {
      return k;
    }
    if (k < 0 || (us < 0.013 && v > us)) {
      continue;
    }
    const double left = std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b);
    if (left <= k * log_mean - mean - log_gamma(k + 1)) {
      return k;
    }
  }
}

double draw_poisson(RandomStream& stream, double mean) {
  if (!(mean >= 0) || std::isinf(mean)) {
    return kNotANumber;
  }
  return mean < 10 ? draw_small_poisson(stream, mean) : draw_large_poisson(stream, mean);
}

}  // namespace

Result<Distribution> distribution_of(std::string_view name) {
  const auto* const found = std::ranges::find(kDistributionNames, name);
  if (found == kDistributionNames.end()) {
    return not_found("there is no distribution '{}'", name);
  }
  return static_cast<Distribution>(found - kDistributionNames.begin());
}

std::string_view name_of(Distribution distribution) {
  return kDistributionNames[static_cast<size_t>(distribution)];
}

double draw(Distribution distribution, RandomStream& stream, double first, double second) {
  switch (distribution) {
    case Distribution::kUniform:
      return first + stream.uniform_double() * (second - first);
    case Distribution::kNormal:
      return first + stream.normal() * second;
    case Distribution::kExponential:
      return first > 0 ? -std::log(open_uniform(stream)) / first : kNotANumber;
    case Distribution::kGamma:
      return draw_gamma(stream, first, second);
    case Distribution::kPoisson:
      return draw_poisson(stream, first);
    case Distribution::kNegativeBinomial:
      return second == 1 ? 0 : draw_poisson(stream, draw_gamma(stream, first, (1 - second) / second));
    case Distribution::kGeneralizedNegativeBinomial:
      return second == 0 ? draw_poisson(stream, first)
                         : draw_poisson(stream, draw_gamma(stream, 1 / second, second * first));
  }
  return kNotANumber;
}

int64_t draw_category(RandomStream& stream, std::span<const double> cumulative) {
  const double target = stream.uniform_double() * cumulative.back();
  const auto found = std::ranges::upper_bound(cumulative, target);
  return std::min<int64_t>(found - cumulative.begin(), static_cast<int64_t>(cumulative.size()) - 1);
}

void permute(RandomStream& stream, std::span<int64_t> out) {
  std::iota(out.begin(), out.end(), 0);
  for (size_t left = out.size(); left > 1; --left) {
    std::swap(out[left - 1], out[stream.below(left)]);
  }
}

}  // namespace forebay::kernels
