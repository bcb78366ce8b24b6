// Sound made longer or shorter at the same pitch, and higher or lower at the same length.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/kernels/signal/fft.h"

namespace forebay::kernels {

/// round(length / rate), halves to even.
int64_t stretched_length(int64_t length, double rate);

/// A phase vocoder (J. Flanagan, R. Golden, "Phase vocoder", Bell System Technical Journal, 1966), in the
/// form of librosa's time_stretch: windows of Hann every `step` samples, magnitudes interpolated between
/// neighbours, phases advanced as theirs differ, overlapped and added. Phases are unit vectors in double,
/// multiplied and never measured: the same bits on every target. Immutable: safe from any thread.
class PhaseVocoder {
 public:
  /// Windows of `nfft` samples, every `step` of them; 1 <= step <= nfft.
  PhaseVocoder(int64_t nfft, int64_t step);

  /// Plays `in`, `length` >= 1 samples, `rate` > 0 times as fast: `out` has stretched_length() samples. Takes
  /// scratch memory for the spectra, some 8 nfft / step bytes a sample of both, which may be refused.
  Status stretch(const float* in, int64_t length, double rate, float* out) const;

 private:
  struct Spectra;

  void analyse(const float* in, int64_t length, Spectra* spectra) const;
  void advance(const Spectra& from, double rate, Spectra* to) const;
  void synthesise(Spectra* spectra, int64_t length, float* out) const;

  int64_t step_;
  std::vector<float> window_;
  RealFft fft_;
};

/// `in` at `ratio` times its rate: out[i] is the band-limited signal at i / ratio, by a sinc of 32 zeros on
/// each side under a Hann window, which cuts at 0.95 of the lower of both Nyquist frequencies (J. O. Smith,
/// "Digital audio resampling home page", 2002). `out_length` samples; what lies outside of `in` is 0.
void resample_band_limited(const float* in, int64_t length, double ratio, float* out, int64_t out_length);

}  // namespace forebay::kernels
