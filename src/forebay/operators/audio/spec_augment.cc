// spec_augment: bands of frequencies and stretches of time masked in a spectrogram.
#include <algorithm>
#include <cmath>

#include "forebay/kernels/generic/ordered_sum.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/audio/spectrum_axis.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

constexpr uint32_t kFrequencyStream = 0;
constexpr uint32_t kTimeStream = 1;

struct SpecAugment {
  Arg<int64_t> n_freq_masks = 2;
  Arg<int64_t> freq_mask_param = 27;
  Arg<int64_t> n_time_masks = 2;
  Arg<int64_t> time_mask_param = 100;
  Arg<float> p = 1.0f;
  Arg<float> mask_value;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_is_float(in));
    FOREBAY_ASSIGN_OR_RETURN(const int frequencies, frequency_axis(in));
    FOREBAY_ASSIGN_OR_RETURN(const int times, time_axis(in));
    FOREBAY_ASSIGN_OR_RETURN(const float share, p.get(sample));
    if (!(share >= 0 && share <= 1)) {
      return invalid_argument("argument 'p' is {}; it must be from 0 to 1", share);
    }
    FOREBAY_ASSIGN_OR_RETURN(float value, mask_value.get(sample));
    const auto* const numbers = in.view().as<float>();
    if (!mask_value.is_given() && in.volume() > 0) {
      value = static_cast<float>(kernels::ordered_sum(kernels::Summand::kValue, 0.0, numbers, in.volume()) /
                                 static_cast<double>(in.volume()));
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    std::copy_n(numbers, in.volume(), out.as<float>());  // copy: the masks go over it
    const auto longest = static_cast<int64_t>(share * static_cast<float>(in.shape()[times]));
    FOREBAY_RETURN_IF_ERROR(
        mask(sample, {n_freq_masks, freq_mask_param, frequencies, in.shape()[frequencies], kFrequencyStream},
             value, out));
    return mask(sample, {n_time_masks, time_mask_param, times, longest, kTimeStream}, value, out);
  }

 private:
  /// The masks along one axis.
  struct Masks {
    const Arg<int64_t>& number;
    const Arg<int64_t>& param;  // the largest width
    int axis;
    int64_t longest;  // besides
    uint32_t stream;
  };

  static Result<int> time_axis(const Tensor& in) {
    const int rank = in.shape().rank();
    const int axis = in.layout().empty() ? rank - 1 : in.layout().find('t');
    if (axis < 0 || rank < 2) {
      return invalid_argument("the input is {}; it must have an axis 't', of time, and one of frequencies",
                              in.spec().to_string());
    }
    return axis;
  }

  static Status mask(const Sample& sample, const Masks& masks, float value, const MutableTensorView& out) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t number, masks.number.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t param, masks.param.get(sample));
    constexpr int64_t kMaxMasks = 10000;
    if (number < 0 || number > kMaxMasks || param < 0) {
      return invalid_argument("{} masks of widths up to {}: there may be from 0 to {}, of widths from 0 on",
                              number, param, kMaxMasks);
    }
    const kernels::Lines lines = lines_along(out.shape(), masks.axis);
    RandomStream stream = sample.random(masks.stream);
    for (int64_t i = 0; i < number; ++i) {
      const int64_t most = std::min({param, masks.longest, lines.length});
      const auto width = static_cast<int64_t>(stream.below(static_cast<uint64_t>(most) + 1));
      const auto first = static_cast<int64_t>(stream.below(static_cast<uint64_t>(lines.length - width) + 1));
      for (int64_t outer = 0; outer < lines.outer; ++outer) {
        std::fill_n(out.as<float>() + (outer * lines.length + first) * lines.inner, width * lines.inner,
                    value);
      }
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec spec_augment() {
  using Op = SpecAugment;
  return describe<Op>("spec_augment", "Masks bands of frequencies and stretches of time in a spectrogram.")
      .input("data",
             "A spectrogram, FLOAT. The axes of frequencies and time are 'f' and 't' of its layout; without "
             "one, the "
             "last two.")
      .param("n_freq_masks", &Op::n_freq_masks,
             "How many bands of frequencies are masked; bands may overlap.")
      .param("freq_mask_param", &Op::freq_mask_param,
             "The largest width of a band; each from 0 to this is as likely.")
      .param("n_time_masks", &Op::n_time_masks, "How many stretches of time are masked.")
      .param("time_mask_param", &Op::time_mask_param, "The largest width of a stretch.")
      .param("p", &Op::p, "The largest part of all time that one stretch may have.")
      .param("mask_value", &Op::mask_value, "What stands in the masks; the sample's mean without it.")
      .outputs("The input with its masks. Each place where a mask fits is as likely.")
      .matches(
          "D. Park et al., SpecAugment (Interspeech 2019), without time warping; torchaudio 2.11 "
          "SpecAugment, whose "
          "widths are below the parameter")
      .random()
      .build();
}

}  // namespace forebay::operators
