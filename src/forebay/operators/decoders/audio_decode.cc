#include "forebay/operators/decoders/audio_decode.h"

#include <algorithm>

#include "forebay/kernels/audio/mix_audio.h"
#include "forebay/operators/audio/resampled.h"

namespace forebay::operators {
namespace {

// Values that are read at a time where they are mixed or converted: they stay in the cache.
constexpr int64_t kMixedValues = 8192;

/// Reads the next frames by way of floats, a few at a time; `out` as mix_audio() wants it.
Status read_mixed(Sample& sample, codec::AudioFile& file, const MutableTensorView& out) {
  const int64_t channels = file.header().channels;
  const int64_t frames = out.shape()[0];
  const int64_t at_once = std::max<int64_t>(1, std::min(frames, kMixedValues / channels));
  FOREBAY_ASSIGN_OR_RETURN(const MutableBytes values,
                           sample.scratch(static_cast<size_t>(at_once * channels) * sizeof(float)));
  const size_t of_frame = frames == 0 ? 0 : out.spec.size_bytes() / static_cast<size_t>(frames);
  for (int64_t frame = 0; frame < frames; frame += at_once) {
    const int64_t count = std::min(at_once, frames - frame);
    const MutableTensorView few{values.data(), {{count, channels}, DType::kFloat, {}}};
    FOREBAY_RETURN_IF_ERROR(file.read(few));
    MutableTensorView to{static_cast<std::byte*>(out.data) + static_cast<size_t>(frame) * of_frame, out.spec};
    to.spec.shape[0] = count;
    FOREBAY_RETURN_IF_ERROR(kernels::mix_audio(few, to));
  }
  return ok_status();
}

/// Into memory of another length than the output's.
Status read_and_resample(Sample& sample, codec::AudioFile& file, int64_t frames,
                         const AudioDecoding& decoding, const MutableTensorView& out) {
  const double from_rate = static_cast<double>(file.header().rate_hz);
  TensorSpec spec{{frames}, DType::kFloat, {}};
  if (!decoding.downmix) {
    spec.shape.push_back(file.header().channels);
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableBytes memory, sample.scratch(spec.size_bytes()));
  const MutableTensorView whole{memory.data(), spec};
  FOREBAY_RETURN_IF_ERROR(decoding.downmix ? read_mixed(sample, file, whole) : file.read(whole));
  return resample_sound(sample, *decoding.resampler, whole, from_rate, decoding.rate_hz, out);
}

}  // namespace

Status check_audio_dtype(DType dtype) {
  return codec::can_decode_audio_to(dtype)
             ? ok_status()
             : invalid_argument("sound decodes to FLOAT, INT16 or INT32, not to {}", tensor::name_of(dtype));
}

Result<double> run_audio_decode(Sample& sample, int output, codec::AudioFile& file, const AudioPart& part,
                                const AudioDecoding& decoding) {
  const codec::AudioHeader& header = file.header();
  const double rate_hz = decoding.rate_hz > 0 ? decoding.rate_hz : static_cast<double>(header.rate_hz);
  const bool is_resampled = rate_hz != static_cast<double>(header.rate_hz);
  const int channels = decoding.downmix ? 1 : header.channels;  // that are held
  TensorSpec spec{{part.frames}, decoding.dtype, {}};
  if (is_resampled) {
    FOREBAY_ASSIGN_OR_RETURN(
        spec.shape[0], kernels::resampled_length(part.frames, static_cast<double>(header.rate_hz), rate_hz));
    FOREBAY_RETURN_IF_ERROR(
        codec::AudioFile::check_limits(part.frames, channels, DType::kFloat, decoding.limits));
  }
  if (!decoding.downmix) {
    spec.shape.push_back(channels);
  }
  FOREBAY_RETURN_IF_ERROR(
      codec::AudioFile::check_limits(spec.shape[0], channels, decoding.dtype, decoding.limits));
  FOREBAY_RETURN_IF_ERROR(file.seek(part.first));
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(output, spec));
  if (is_resampled) {
    FOREBAY_RETURN_IF_ERROR(read_and_resample(sample, file, part.frames, decoding, out));
  } else if ((decoding.downmix && header.channels > 1) ||
             (header.is_float && decoding.dtype != DType::kFloat)) {
    FOREBAY_RETURN_IF_ERROR(read_mixed(sample, file, out));
  } else {
    FOREBAY_RETURN_IF_ERROR(file.read(out));
  }
  return rate_hz;
}

Status put_sample_rate(Sample& sample, int output, const Shape& shape, double rate_hz) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(output, {shape, DType::kFloat, {}}));
  *static_cast<float*>(out.data) = static_cast<float>(rate_hz);
  return ok_status();
}

}  // namespace forebay::operators
