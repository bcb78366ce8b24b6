// Resampling of sound: a sinc filter under a Hann window, whose values are interpolated from a table of 32 to
// each sample of the input. The method is that of DALI's `audio_resample` (2.4), to the last detail that can
// be heard of: positions in the input are advanced in single precision within blocks of 256 outputs, which
// begin where double precision says.
//
//   out[k] = sum over i of in[i] * w(i - k * in_rate / out_rate),  w(x) = sinc(x) * (1 + cos(pi * x / lobes))
//   / 2
//
// over the 2 * lobes nearest inputs; what lies outside the input is 0. There is no lower cutoff where the
// rate falls: what the new rate cannot hold is folded back, as in DALI.
//
// The order of additions is fixed (eight partial sums, tap k in sum k % 8) and nothing is contracted, so the
// bits are the same on every target, and do not depend on how outputs are cut into ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// Where ranges of outputs may begin: at multiples of this.
inline constexpr int64_t kResampledBlock = 256;

/// ceil(length * out_rate / in_rate), in double precision. invalid_argument unless in_rate is positive,
/// out_rate is not negative, both are finite, and the length fits.
Result<int64_t> resampled_length(int64_t length, double in_rate, double out_rate);

/// The filter. Immutable; thread safe.
class AudioResampler {
 public:
  /// `quality` from 0, 3 lobes on each side, by 50, 16, to 100, 64; else invalid_argument.
  static Result<AudioResampler> make(double quality);

  int lobes() const { return lobes_; }

  /// Makes out.size() outputs of one channel from number `first` on, a multiple of kResampledBlock. `in`: all
  /// of the input. Rates must be such as resampled_length() takes, and out_rate not 0.
  void run(std::span<const float> in, double in_rate, double out_rate, int64_t first,
           std::span<float> out) const;

 private:
  explicit AudioResampler(int lobes);

  int lobes_ = 0;
  int64_t row_taps_ = 0;      // 2 * lobes, rounded up to whole groups of sums; taps behind are 0
  std::vector<float> table_;  // 33 rows of row_taps_: the filter at each 32nd of a sample
};

}  // namespace forebay::kernels
