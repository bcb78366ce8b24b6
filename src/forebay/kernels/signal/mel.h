// Mel filter banks: overlapping triangles, evenly spaced on a scale of perceived pitch, over the bins of a
// spectrum.
#pragma once

#include <cstdint>

#include "forebay/kernels/signal/band_matrix.h"

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

/// The bank for spectra of `num_bins` bins, of transforms of 2 (num_bins - 1) points: a row for each filter.
BandMatrix mel_filter_bank(const MelOptions& options, int64_t num_bins);

}  // namespace forebay::kernels
