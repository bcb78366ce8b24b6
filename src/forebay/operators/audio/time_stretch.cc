// time_stretch: sound played faster or slower at the same pitch.
#include "forebay/operators/audio/vocoded_sound.h"

namespace forebay::operators {
namespace {

struct TimeStretch : VocoderArguments {
  Arg<float> rate = 1.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t length, signal_length(sample.input(0)));
    FOREBAY_ASSIGN_OR_RETURN(const float speed, rate.get(sample));
    FOREBAY_RETURN_IF_ERROR(check_speed("rate", speed));
    FOREBAY_ASSIGN_OR_RETURN(
        const MutableTensorView out,
        sample.output(
            0, {{kernels::stretched_length(length, speed)}, DType::kFloat, one_axis(sample.input(0))}));
    return vocoder->stretch(sample.input(0).view().as<float>(), length, speed, out.as<float>());
  }
};

}  // namespace

OperatorSpec time_stretch() {
  using Op = TimeStretch;
  return describe<Op>("time_stretch", "Plays sound faster or slower at the same pitch.")
      .input("data", "A signal of one channel, FLOAT.")
      .param("rate", &Op::rate, "How many times as fast, from 0.01 to 100.")
      .group(&add_vocoder_parameters<Op>)
      .outputs("A signal of round(samples / rate) samples, FLOAT. The same bits on every target.")
      .matches("librosa 0.11 effects.time_stretch: a phase vocoder")
      .build();
}

}  // namespace forebay::operators
