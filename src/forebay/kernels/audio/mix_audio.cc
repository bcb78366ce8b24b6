#include "forebay/kernels/audio/mix_audio.h"

#include "forebay/kernels/audio/audio_values.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

template <class Function>
void visit_audio_type(DType dtype, Function function) {
  switch (dtype) {
    case DType::kInt8:
      return function(int8_t{});
    case DType::kUint8:
      return function(uint8_t{});
    case DType::kInt16:
      return function(int16_t{});
    case DType::kUint16:
      return function(uint16_t{});
    case DType::kInt32:
      return function(int32_t{});
    case DType::kUint32:
      return function(uint32_t{});
    default:
      return function(float{});
  }
}

int64_t channels_of_audio(const tensor::Shape& shape) {
  return shape.rank() == 2 ? shape[1] : 1;
}

Status check_audio(const tensor::TensorSpec& spec) {
  const int rank = spec.shape.rank();
  return is_audio_type(spec.dtype) && (rank == 1 || rank == 2)
             ? ok_status()
             : invalid_argument(
                   "sound is of one or two axes, of float or integers of at most 32 bits, not {}",
                   spec.to_string());
}

template <class In, class Out>
void convert_audio(const In* in, int64_t count, Out* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = audio_from_float<Out>(audio_as_float(in[i]));
  }
}

template <class In, class Out>
void mean_of_channels(const In* in, int64_t frames, int64_t channels, Out* out) {
  const float weight = 1.0f / static_cast<float>(channels);
  for (int64_t frame = 0; frame < frames; ++frame, in += channels) {
    float sum = audio_as_float(in[0]) * weight;
    for (int64_t c = 1; c < channels; ++c) {
      sum += audio_as_float(in[c]) * weight;
    }
    out[frame] = audio_from_float<Out>(sum);
  }
}

}  // namespace

bool is_audio_type(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kInt8 || dtype == DType::kUint8 ||
         dtype == DType::kInt16 || dtype == DType::kUint16 || dtype == DType::kInt32 ||
         dtype == DType::kUint32;
}

Status mix_audio(const TensorView& in, const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_audio(in.spec));
  FOREBAY_RETURN_IF_ERROR(check_audio(out.spec));
  const int64_t channels = channels_of_audio(in.shape());
  const bool is_mixed = out.shape().rank() == 1 && out.shape()[0] == in.shape()[0];
  if (!is_mixed && out.volume() != in.volume()) {
    return invalid_argument("sound {} into {}", in.spec.to_string(), out.spec.to_string());
  }
  visit_audio_type(in.dtype(), [&](auto from) {
    visit_audio_type(out.dtype(), [&](auto to) {
      const auto* samples = static_cast<const decltype(from)*>(in.data);
      auto* made = static_cast<decltype(to)*>(out.data);
      if (is_mixed && channels > 1) {
        mean_of_channels(samples, in.shape()[0], channels, made);
      } else {
        convert_audio(samples, in.volume(), made);
      }
    });
  });
  return ok_status();
}

Status channel_of_audio(const TensorView& in, int64_t channel, std::span<float> out) {
  FOREBAY_RETURN_IF_ERROR(check_audio(in.spec));
  const int64_t channels = channels_of_audio(in.shape());
  if (channel < 0 || channel >= channels || static_cast<int64_t>(out.size()) != in.shape()[0]) {
    return invalid_argument("channel {} of sound {}, as {} samples", channel, in.spec.to_string(),
                            out.size());
  }
  visit_audio_type(in.dtype(), [&](auto from) {
    const auto* samples = static_cast<const decltype(from)*>(in.data) + channel;
    for (float& value : out) {
      value = audio_as_float(*samples);
      samples += channels;
    }
  });
  return ok_status();
}

Status put_channel_of_audio(std::span<const float> in, int64_t channel, int64_t first,
                            const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_audio(out.spec));
  const int64_t channels = channels_of_audio(out.shape());
  if (channel < 0 || channel >= channels || first < 0 ||
      first + static_cast<int64_t>(in.size()) > out.shape()[0]) {
    return invalid_argument("{} samples from {} on, in channel {} of sound {}", in.size(), first, channel,
                            out.spec.to_string());
  }
  visit_audio_type(out.dtype(), [&](auto to) {
    using Out = decltype(to);
    Out* made = static_cast<Out*>(out.data) + first * channels + channel;
    for (const float value : in) {
      *made = audio_from_float<Out>(value);
      made += channels;
    }
  });
  return ok_status();
}

}  // namespace forebay::kernels
