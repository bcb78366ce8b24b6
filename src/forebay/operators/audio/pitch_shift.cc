// pitch_shift: sound higher or lower at the same length.
#include <cmath>

#include "forebay/memory/host/scratch.h"
#include "forebay/operators/audio/vocoded_sound.h"

namespace forebay::operators {
namespace {

struct PitchShift : VocoderArguments {
  Arg<float> n_steps = 0.0f;
  int64_t bins_per_octave = 12;

  Status prepare(const Arguments& arguments) {
    if (bins_per_octave < 1) {
      return invalid_argument("argument 'bins_per_octave' is {}; it must be at least 1", bins_per_octave);
    }
    return VocoderArguments::prepare(arguments);
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t length, signal_length(sample.input(0)));
    FOREBAY_ASSIGN_OR_RETURN(const float steps, n_steps.get(sample));
    const double octaves = double{steps} / static_cast<double>(bins_per_octave);
    if (!(std::abs(octaves) <= 6)) {
      return invalid_argument("argument 'n_steps' is {}: more than 6 octaves", steps);
    }
    const double rate = std::exp2(-octaves);
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {{length}, DType::kFloat, one_axis(sample.input(0))}));
    const int64_t stretched = kernels::stretched_length(length, rate);
    memory::ScratchArray<float> sound(static_cast<size_t>(stretched));
    FOREBAY_RETURN_IF_ERROR(vocoder->stretch(sample.input(0).view().as<float>(), length, rate, sound.data()));
    kernels::resample_band_limited(sound.data(), stretched, rate, out.as<float>(), length);
    return ok_status();
  }
};

}  // namespace

OperatorSpec pitch_shift() {
  using Op = PitchShift;
  return describe<Op>("pitch_shift", "Makes sound higher or lower at the same length.")
      .input("data", "A signal of one channel, FLOAT.")
      .param("n_steps", &Op::n_steps, "By how many steps it gets higher; negative ones make it lower.")
      .param("bins_per_octave", &Op::bins_per_octave, "How many steps an octave has: 12 are semitones.")
      .group(&add_vocoder_parameters<Op>)
      .outputs(
          "A signal of as many samples, FLOAT. What would lie beyond half the sample rate is cut off. Equal "
          "on all "
          "targets but for the last bit of the C library's powers and sines.")
      .matches("librosa 0.11 effects.pitch_shift: time_stretch and resampling, the latter by another filter")
      .close()
      .build();
}

}  // namespace forebay::operators
