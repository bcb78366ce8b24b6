#include "forebay/kernels/signal/mel.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace forebay::kernels {
namespace {

// Slaney's scale: 3 mels for each 200 Hz up to 1 kHz, then 27 for each factor of 6.4.
constexpr double kLinearStep = 200.0 / 3.0;
constexpr double kBreakHertz = 1000.0;
constexpr double kBreakMel = kBreakHertz / kLinearStep;
constexpr double kLogarithmicStep = 1.8562979903656263 / 27.0;  // ln(6.4) / 27

/// A triangle over frequencies in Hz.
struct Triangle {
  double left;
  double centre;
  double right;

  double height(double hertz) const {
    return hertz < centre ? (hertz - left) / (centre - left) : (right - hertz) / (right - centre);
  }
};

void add_triangle(const Triangle& triangle, double scale, double bin_width, BandMatrix* bank) {
  const double first = std::ceil(triangle.left / bin_width);
  std::vector<float> weights;
  for (double bin = first; bin < static_cast<double>(bank->num_columns()) && bin * bin_width < triangle.right;
       ++bin) {
    weights.push_back(static_cast<float>(scale * triangle.height(bin * bin_width)));
  }
  bank->add_row(weights.empty() ? 0 : static_cast<int64_t>(first), weights);
}

}  // namespace

double mel_of_hertz(MelFormula formula, double hertz) {
  if (formula == MelFormula::kHtk) {
    return 1127.0 * std::log1p(hertz / 700.0);
  }
  return hertz < kBreakHertz ? hertz / kLinearStep
                             : kBreakMel + std::log(hertz / kBreakHertz) / kLogarithmicStep;
}

double hertz_of_mel(MelFormula formula, double mel) {
  if (formula == MelFormula::kHtk) {
    return 700.0 * std::expm1(mel / 1127.0);
  }
  return mel < kBreakMel ? mel * kLinearStep : kBreakHertz * std::exp(kLogarithmicStep * (mel - kBreakMel));
}

BandMatrix mel_filter_bank(const MelOptions& options, int64_t num_bins) {
  BandMatrix bank(num_bins);
  const double low_mel = mel_of_hertz(options.formula, options.low);
  const double high_mel = mel_of_hertz(options.formula, options.high);
  const double step = (high_mel - low_mel) / static_cast<double>(options.num_filters + 1);
  const auto corner = [&](int64_t i) {
    return i > options.num_filters ? options.high
                                   : hertz_of_mel(options.formula, low_mel + step * static_cast<double>(i));
  };
  for (int64_t filter = 0; filter < options.num_filters; ++filter) {
    const Triangle triangle{corner(filter), corner(filter + 1), corner(filter + 2)};
    const double scale = options.is_normalized ? 2.0 / (triangle.right - triangle.left) : 1.0;
    if (num_bins > 1) {
      add_triangle(triangle, scale, options.sample_rate / (2.0 * static_cast<double>(num_bins - 1)), &bank);
    } else {
      bank.add_row(0, {});  // a single bin has no width
    }
  }
  return bank;
}

}  // namespace forebay::kernels
