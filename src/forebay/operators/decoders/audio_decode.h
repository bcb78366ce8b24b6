// Shared by what decodes sound: its arguments, and a decode of all or a part of a file to a tensor.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/codec/audio/audio_file.h"
#include "forebay/kernels/audio/resample_audio.h"
#include "forebay/operators/arg.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Which frames of a file.
struct AudioPart {
  int64_t first = 0;
  int64_t frames = 0;
};

/// Decoding as the arguments want it. Borrows the resampler.
struct AudioDecoding {
  DType dtype = DType::kFloat;
  bool downmix = false;
  double rate_hz = 0;  // to resample to; 0: the file's
  const kernels::AudioResampler* resampler = nullptr;
  codec::AudioLimits limits;
};

/// Makes the sound output `output` of `sample`: of shape (t, c), or (t) if it is mixed down. Returns its
/// rate.
Result<double> run_audio_decode(Sample& sample, int output, codec::AudioFile& file, const AudioPart& part,
                                const AudioDecoding& decoding);

/// Makes a rate output `output`, FLOAT.
Status put_sample_rate(Sample& sample, int output, const Shape& shape, double rate_hz);

/// invalid_argument unless sound decodes to this type.
Status check_audio_dtype(DType dtype);

}  // namespace forebay::operators
