// Mel filter banks: overlapping triangles, evenly spaced on a scale of perceived pitch, over the bins of a
// spectrum.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/lines.h"

namespace forebay::kernels {

/// How frequencies in Hz become mels.
enum class MelFormula : uint8_t {
  kSlaney,  // linear below 1 kHz, logarithmic above: M. Slaney, "Auditory Toolbox", Apple technical report 45
            // (1998)
  kHtk,     // 1127 ln(1 + f / 700): D. O'Shaughnessy, "Speech communication" (1987)
};

double mel_of_hertz(MelFormula formula, double hertz);
double hertz_of_mel(MelFormula formula, double mel);

struct MelOptions {
  int64_t num_filters = 128;
  double sample_rate = 44100;
  double low = 0;       // in Hz, as is `high`
  double high = 22050;  // above `low`
  MelFormula formula = MelFormula::kSlaney;
  bool is_normalized = true;  // whether each triangle has an area of 1, over Hz; else a peak of 1
};

/// A bank for spectra of `num_bins` bins, of transforms of 2 (num_bins - 1) points. Immutable: safe from any
/// thread.
class MelFilterBank {
 public:
  MelFilterBank(const MelOptions& options, int64_t num_bins);

  int64_t num_bins() const { return num_bins_; }
  int64_t num_filters() const { return static_cast<int64_t>(filters_.size()); }

  /// The sums of lines of num_bins() powers by the weights of each filter, from the lowest bin to the
  /// highest, in floats: lines.length is num_bins(), and `out` has the same lines of num_filters(). Takes
  /// little scratch memory, which may be refused.
  Status run(const float* in, const Lines& lines, float* out) const;

  struct Filter {
    int64_t first_bin = 0;
    int64_t first_weight = 0;  // among weights()
    int64_t size = 0;
  };
  const std::vector<Filter>& filters() const { return filters_; }
  const std::vector<float>& weights() const { return weights_; }

 private:
  int64_t num_bins_;
  std::vector<Filter> filters_;
  std::vector<float> weights_;
};

}  // namespace forebay::kernels
