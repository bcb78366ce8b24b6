// Plans of complex transforms: sizes as products of small primes, or Bluestein's convolution.
#include "forebay/kernels/signal/fft_tables.h"

#include <cmath>
#include <numbers>

namespace forebay::kernels {
namespace {

constexpr int64_t kLargestRadix = 31;

/// The radices whose product is `size`, fours first; empty if a prime is too large.
std::vector<int64_t> radices_of(int64_t size) {
  std::vector<int64_t> radices;
  for (const int64_t radix : {4, 2, 3, 5}) {
    for (; size % radix == 0; size /= radix) {
      radices.push_back(radix);
    }
  }
  for (int64_t prime = 7; prime <= kLargestRadix; prime += 2) {
    for (; size % prime == 0; size /= prime) {
      radices.push_back(prime);
    }
  }
  return size == 1 ? radices : std::vector<int64_t>();
}

std::vector<FftTwiddle> roots_of(int64_t size) {
  std::vector<FftTwiddle> roots(static_cast<size_t>(size));
  for (int64_t k = 0; k < size; ++k) {
    roots[static_cast<size_t>(k)] = root_of_unity(k, size);
  }
  return roots;
}

/// The size of the convolution of Bluestein's method: a power of two.
int64_t convolution_size(int64_t size) {
  int64_t inner_size = 1;
  while (inner_size < 2 * size - 1) {
    inner_size *= 2;
  }
  return inner_size;
}

void plan_bluestein(ComplexFftPlan* plan) {
  const int64_t size = plan->size;
  const int64_t inner_size = convolution_size(size);
  plan->chirp.resize(static_cast<size_t>(size));
  int64_t square = 0;  // k^2 modulo 2 size, so that the angle stays exact
  for (int64_t k = 0; k < size; ++k) {
    plan->chirp[static_cast<size_t>(k)] = root_of_unity(square, 2 * size);
    square = (square + 2 * k + 1) % (2 * size);
  }
  plan->inner = std::make_unique<const ComplexFftPlan>(complex_fft_plan(inner_size));
  std::vector<float> rows(static_cast<size_t>(2 * inner_size));
  const float scale = 1.0f / static_cast<float>(inner_size);
  for (int64_t k = 0; k < size; ++k) {
    const FftTwiddle& chirp = plan->chirp[static_cast<size_t>(k)];
    for (const int64_t at : {k, (inner_size - k) % inner_size}) {
      rows[static_cast<size_t>(2 * at)] = chirp.re * scale;
      rows[static_cast<size_t>(2 * at + 1)] = -chirp.im * scale;
    }
  }
  std::vector<float> scratch(static_cast<size_t>(2 * plan->inner->scratch_size()));
  complex_fft(*plan->inner, 1, rows.data(), scratch.data());
  plan->filter.resize(static_cast<size_t>(inner_size));
  for (size_t k = 0; k < plan->filter.size(); ++k) {
    plan->filter[k] = {rows[2 * k], rows[2 * k + 1]};
  }
}

}  // namespace

FftTwiddle root_of_unity(int64_t k, int64_t size) {
  // By symmetry from the first eighth, so that roots that mirror each other are exactly that.
  const int64_t eighth = (8 * k) / size;
  const auto angle_of = [&](int64_t part) {
    return 2 * std::numbers::pi * static_cast<double>(part) / (4 * static_cast<double>(size));
  };
  const int64_t quarter_part = 4 * k - (eighth / 2) * size;  // of a full turn of 4 size, within its quarter
  const bool is_second = eighth % 2 != 0;
  const double angle = angle_of(is_second ? size - quarter_part : quarter_part);
  const double cosine = is_second ? std::sin(angle) : std::cos(angle);
  const double sine = is_second ? std::cos(angle) : std::sin(angle);
  const auto c = static_cast<float>(cosine);
  const auto s = static_cast<float>(sine);
  switch (eighth / 2) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

int64_t complex_fft_bytes(int64_t size) {
  constexpr int64_t kEach = sizeof(FftTwiddle);
  if (size == 1 || !radices_of(size).empty()) {
    return kEach * size;
  }
  // The chirp; of the inner plan its roots; the filter, and two lines while it is made.
  return kEach * (size + 4 * convolution_size(size));
}

ComplexFftPlan complex_fft_plan(int64_t size) {
  ComplexFftPlan plan;
  plan.size = size;
  plan.radices = radices_of(size);
  if (plan.radices.empty() && size > 1) {
    plan_bluestein(&plan);
  } else {
    plan.roots = roots_of(size);
  }
  return plan;
}

}  // namespace forebay::kernels
