// audio_resample: sound at another rate.
#include <cmath>
#include <optional>

#include "forebay/kernels/audio/mix_audio.h"
#include "forebay/operators/audio/resampled.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// From which rate to which, and how long the result is.
struct AudioScaling {
  double in_rate = 1;
  double out_rate = 1;
  int64_t length = 0;
};

struct AudioResample {
  std::optional<DType> dtype;
  Arg<float> in_rate;
  Arg<float> out_rate;
  Arg<float> scale;
  Arg<int64_t> out_length;
  float quality = 50.0F;

  Status prepare(const Arguments&) {
    if (dtype && !kernels::is_audio_type(*dtype)) {
      return invalid_argument("dtype is {}; sound is FLOAT or an integer of at most 32 bits",
                              tensor::name_of(*dtype));
    }
    if (in_rate.is_given() != out_rate.is_given()) {
      return invalid_argument("`in_rate` and `out_rate` are given together or not at all");
    }
    const int ways = static_cast<int>(in_rate.is_given()) + static_cast<int>(scale.is_given()) +
                     static_cast<int>(out_length.is_given());
    if (ways != 1) {
      return invalid_argument(
          "{} of `in_rate` with `out_rate`, `scale` and `out_length` are given; exactly one says how sound "
          "is "
          "resampled",
          ways == 0 ? "none" : "several");
    }
    FOREBAY_ASSIGN_OR_RETURN(resampler_, kernels::AudioResampler::make(quality));
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (!kernels::is_audio_type(in.dtype()) || (in.shape().rank() != 1 && in.shape().rank() != 2)) {
      return invalid_argument(
          "sound of shape (t) or (t, c) is needed, of FLOAT or integers of at most 32 bits, not {}",
          in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const AudioScaling scaling, scaling_of(sample, in.shape()[0]));
    TensorSpec spec = in.spec();
    spec.dtype = dtype.value_or(in.dtype());
    spec.shape[0] = scaling.length;
    if (!spec.shape.checked_volume()) {
      return invalid_argument("sound of shape {} becomes too long", in.shape().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return resample_sound(sample, *resampler_, in.view(), scaling.in_rate, scaling.out_rate, out);
  }

 private:
  Result<AudioScaling> scaling_of(const Sample& sample, int64_t length) const {
    AudioScaling scaling;
    if (out_length.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(scaling.length, out_length.get(sample));
      if (scaling.length < 0 || (length == 0 && scaling.length > 0)) {
        return invalid_argument("out_length is {} for sound of length {}", scaling.length, length);
      }
      // Neither is 0: nothing is made then, and nothing is divided by.
      scaling.in_rate = static_cast<double>(std::max<int64_t>(length, 1));
      scaling.out_rate = static_cast<double>(std::max<int64_t>(scaling.length, 1));
      return scaling;
    }
    if (scale.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(scaling.out_rate, scale.get(sample));
    } else {
      FOREBAY_ASSIGN_OR_RETURN(scaling.in_rate, in_rate.get(sample));
      FOREBAY_ASSIGN_OR_RETURN(scaling.out_rate, out_rate.get(sample));
    }
    FOREBAY_ASSIGN_OR_RETURN(scaling.length,
                             kernels::resampled_length(length, scaling.in_rate, scaling.out_rate));
    return scaling;
  }

  std::optional<kernels::AudioResampler> resampler_;
};

void add_audio_resample_arguments(Description<AudioResample>& description) {
  using Op = AudioResample;
  description
      .param("dtype", &Op::dtype,
             "Element type of the output, FLOAT or an integer of at most 32 bits; that of the input when not "
             "given. Full scale stays full scale: 1 of FLOAT, the largest of signed integers; 0 of those is "
             "the middle of unsigned ones.")
      .param("in_rate", &Op::in_rate, "Rate of the input, in the unit of `out_rate`, which goes with it.")
      .param("out_rate", &Op::out_rate, "Rate of the output.")
      .param("scale", &Op::scale, "Instead of rates: that of the output by that of the input.")
      .param("out_length", &Op::out_length, "Instead of rates: the length of the output, in samples.")
      .param("quality", &Op::quality,
             "From 0, 3 lobes of the sinc filter on each side, by 50, 16, to 100, 64.");
}

}  // namespace

OperatorSpec audio_resample() {
  return describe<AudioResample>("audio_resample", "Resamples sound, by a sinc filter under a Hann window.")
      .input("input", "Sound of shape (t) or (t, c), of FLOAT or integers of at most 32 bits.")
      .group(add_audio_resample_arguments)
      .outputs(
          "The sound, of length ceil(t * out_rate / in_rate), as DALI computes it: what the new rate cannot "
          "hold is not filtered out.")
      .matches("DALI fn.audio_resample")
      .build();
}

}  // namespace forebay::operators
