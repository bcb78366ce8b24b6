// Hann's window, and the sinc under it: the filter of band-limited interpolation (J. O. Smith, Digital Audio
// Resampling, 2002).
#pragma once

#include <cstdint>
#include <vector>

namespace forebay::kernels {

/// The factors of a window of `length` >= 1 samples: sample i is at turn (i + first) / length of
/// 0.5 (1 - cos(2 pi turn)), in double. `first` 0.5 gives the form that DALI uses, 0 the periodic one.
std::vector<float> hann_window(int64_t length, double first);

/// sin(pi x) / (pi x) * 0.5 (1 + cos(pi x / reach)): 1 at 0, and 0 at `reach`, beyond which it must not be
/// asked for.
double hann_sinc(double x, double reach);

}  // namespace forebay::kernels
