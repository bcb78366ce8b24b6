// Short-time Fourier transforms: windows of a signal, their magnitudes or powers by frequency and time.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/kernels/signal/fft.h"

namespace forebay::kernels {

struct WindowOptions {
  int64_t length = 512;  // in samples; at least 1
  int64_t step = 256;    // from one window to the next, in samples; at least 1
  bool is_centered =
      true;              // window i is about sample i * step; else it begins there and lies within the signal
  bool reflects = true;  // what lies beyond the signal: its mirror image without the edge, else zeros
};

/// How many windows a signal of `length` samples has; 0 if it is too short.
int64_t num_windows(int64_t length, const WindowOptions& options);

/// The transforms of a signal's windows. Immutable: safe from any thread.
class Spectrogram {
 public:
  /// `window` has options.length factors; the transform has `nfft` >= options.length points, the rest of them
  /// zeros.
  Spectrogram(const WindowOptions& options, std::vector<float> window, int64_t nfft);

  int64_t bins() const { return fft_.bins(); }
  const WindowOptions& options() const { return options_; }

  /// Writes the bins of all windows of `signal`, `length` >= 1 samples: as (bins, windows), or (windows,
  /// bins) if `is_time_major`. `kind` is kPower or kMagnitude. Takes scratch memory for the signal's copy
  /// with its borders and some 16 windows, which may be refused.
  Status run(SpectrumKind kind, const float* signal, int64_t length, bool is_time_major, float* out) const;

 private:
  WindowOptions options_;
  std::vector<float> window_;
  RealFft fft_;
};

}  // namespace forebay::kernels
