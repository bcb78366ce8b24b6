// Sound at another rate, for operators.
#pragma once

#include "forebay/kernels/audio/resample_audio.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Resamples `in`, of shape (t) or (t, c), to `out`: of as many channels, and of any type of sound. Long
/// sound is cut over idle workers.
Status resample_sound(Sample& sample, const kernels::AudioResampler& resampler, const TensorView& in,
                      double in_rate, double out_rate, const MutableTensorView& out);

}  // namespace forebay::operators
