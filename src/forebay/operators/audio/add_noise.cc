// add_noise: noise added to a signal at a given signal-to-noise ratio.
#include <cmath>

#include "forebay/kernels/generic/ordered_sum.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

double energy_of(const float* values, int64_t count) {
  return kernels::ordered_sum(kernels::Summand::kSquare, 0.0, values, count);
}

struct AddNoise {
  Arg<float> snr = 0.0f;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_is_float(in));
    FOREBAY_ASSIGN_OR_RETURN(const float decibels, snr.get(sample));
    memory::ScratchArray<float> noise(static_cast<size_t>(in.volume()));
    FOREBAY_RETURN_IF_ERROR(draw(sample, noise.data()));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    const auto* const signal = in.view().as<float>();
    const double noise_energy = energy_of(noise.data(), in.volume());
    const double ratio = noise_energy > 0 ? energy_of(signal, in.volume()) / noise_energy : 0.0;
    const auto scale = static_cast<float>(std::sqrt(ratio * std::pow(10.0, -double{decibels} / 10)));
    for (int64_t i = 0; i < in.volume(); ++i) {
      out.as<float>()[i] = signal[i] + scale * noise[static_cast<size_t>(i)];
    }
    return ok_status();
  }

 private:
  /// As much noise as the signal has samples.
  static Status draw(const Sample& sample, float* noise) {
    const int64_t count = sample.input(0).volume();
    RandomStream stream = sample.random();
    if (sample.num_inputs() == 1) {
      for (int64_t i = 0; i < count; ++i) {
        noise[i] = static_cast<float>(stream.normal());
      }
      return ok_status();
    }
    const Tensor& given = sample.input(1);
    FOREBAY_RETURN_IF_ERROR(check_is_float(given));
    const int64_t length = given.volume();
    if (length == 0 && count > 0) {
      return invalid_argument("the noise is {}: it has no samples", given.spec().to_string());
    }
    const int64_t places = std::max<int64_t>(length - count + 1, length < count ? length : 1);
    const auto first = static_cast<int64_t>(stream.below(static_cast<uint64_t>(places)));
    for (int64_t i = 0; i < count; ++i) {
      noise[i] = given.view().as<float>()[(first + i) % length];
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec add_noise() {
  using Op = AddNoise;
  return describe<Op>("add_noise", "Adds noise to a signal at a given signal-to-noise ratio.")
      .input("data", "A signal, FLOAT.")
      .optional_input(
          "noise",
          "The noise, FLOAT; of a longer one a part, drawn at random; a shorter one is repeated, from a "
          "place drawn at random. Without it, white noise of normally distributed numbers.")
      .param("snr", &Op::snr, "The energy of the signal by that of what is added, in dB.")
      .required()
      .outputs(
          "data + scale * noise, with the input's shape, FLOAT. The signal itself where it or the noise is "
          "all zero. "
          "Equal on all targets but for the last bit of the C library's logarithm and cosine.")
      .matches("torchaudio 2.11 functional.add_noise")
      .random()
      .close()
      .build();
}

}  // namespace forebay::operators
