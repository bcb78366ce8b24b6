// Shared by time_stretch and pitch_shift: the phase vocoder and its arguments.
#pragma once

#include <memory>
#include <string_view>

#include "forebay/kernels/signal/phase_vocoder.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

struct VocoderArguments {
  int64_t nfft = 2048;
  std::optional<int64_t> window_step;
  std::shared_ptr<const kernels::PhaseVocoder> vocoder;

  Status prepare(const Arguments&) {
    constexpr int64_t kLargestWindow = int64_t{1} << 20;
    if (nfft < 4 || nfft > kLargestWindow) {
      return invalid_argument("argument 'nfft' is {}; it must be from 4 to {}", nfft, kLargestWindow);
    }
    const int64_t step = window_step.value_or(nfft / 4);
    if (step < 1 || step > nfft) {
      return invalid_argument("argument 'window_step' is {}; it must be from 1 to nfft, {}", step, nfft);
    }
    vocoder = std::make_shared<const kernels::PhaseVocoder>(nfft, step);
    return ok_status();
  }
};

/// How much faster sound may get: what is beyond makes memory of next to nothing, or nothing of much.
inline Status check_speed(std::string_view name, float value) {
  if (!(value >= 0.01f && value <= 100.0f)) {
    return invalid_argument("argument '{}' is {}; it must be from 0.01 to 100", name, value);
  }
  return ok_status();
}

/// The layout of a signal along one axis of `tensor`, if it has a layout.
inline Layout one_axis(const Tensor& tensor) {
  for (int axis = 0; axis < tensor.layout().size(); ++axis) {
    if (tensor.shape()[axis] != 1 || axis + 1 == tensor.layout().size()) {
      return Layout(tensor.layout().view().substr(static_cast<size_t>(axis), 1));
    }
  }
  return {};
}

template <class Op>
void add_vocoder_parameters(Description<Op>& description) {
  description.param("nfft", &VocoderArguments::nfft, "Samples in a window of the phase vocoder.")
      .param("window_step", &VocoderArguments::window_step,
             "Samples from one window to the next; a quarter of `nfft` without it.");
}

}  // namespace forebay::operators
