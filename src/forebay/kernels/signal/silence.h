// Where a signal is louder than silence: the mean square of its windows against a threshold.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct SilenceOptions {
  int64_t window = 2048;   // samples whose mean square is compared; at least 1
  double cutoff_db = -60;  // below the reference, in decibels of power
  double reference = 0;    // a mean square; 0: the largest one of the signal
};

/// The part of a signal from the first window to the last that is not silent.
struct SoundRegion {
  int64_t begin = 0;
  int64_t length = 0;  // 0 if all is silent
};

/// The region of all elements of `in`, of any real type, in memory order; windows are as long as the signal
/// at most. Mean squares are differences of running sums in double. Takes scratch memory of 8 bytes a sample,
/// which may be refused.
Result<SoundRegion> nonsilent_region(const tensor::TensorView& in, const SilenceOptions& options);

}  // namespace forebay::kernels
