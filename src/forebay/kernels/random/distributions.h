// Single draws from distributions that need a varying number of random words. Each draw has its own
// RandomStream, so a number depends only on its key and place.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "forebay/base/random/random.h"
#include "forebay/base/status.h"

namespace forebay::kernels {

/// With MXNet's parameters.
enum class Distribution : uint8_t {
  kUniform,                     // low, high
  kNormal,                      // mean, deviation
  kExponential,                 // rate
  kGamma,                       // shape, scale
  kPoisson,                     // mean
  kNegativeBinomial,            // k failures, probability of failure p
  kGeneralizedNegativeBinomial  // mean, alpha
};

/// "uniform", "normal", "exponential", "gamma", "poisson", "negative_binomial",
/// "generalized_negative_binomial"; not_found otherwise.
Result<Distribution> distribution_of(std::string_view name);
std::string_view name_of(Distribution distribution);

/// Draws one number. Invalid parameters give NaN. Gamma by Marsaglia and Tsang ("A simple method for
/// generating gamma variables", ACM TOMS 26(3), 2000); Poisson by multiplication for means below 10, else by
/// Hoermann's PTRS ("The transformed rejection method for generating Poisson random variables", Insurance:
/// Mathematics and Economics 12, 1993); the negative binomials as Poisson with a gamma-distributed mean.
double draw(Distribution distribution, RandomStream& stream, double first, double second);

/// The index in `cumulative` (ascending sums of weights) that a uniform number falls into.
int64_t draw_category(RandomStream& stream, std::span<const double> cumulative);

/// Fills `out` with a permutation of 0 ... out.size() - 1, each equally likely (Fisher and Yates).
void permute(RandomStream& stream, std::span<int64_t> out);

}  // namespace forebay::kernels
