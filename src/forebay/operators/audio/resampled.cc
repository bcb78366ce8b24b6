#include "forebay/operators/audio/resampled.h"

#include <algorithm>

#include "forebay/kernels/audio/mix_audio.h"

namespace forebay::operators {
namespace {

// Outputs of a piece of work: about 100 us of it.
constexpr int64_t kResampledPiece = 32 * kernels::kResampledBlock;

}  // namespace

Status resample_sound(Sample& sample, const kernels::AudioResampler& resampler, const TensorView& in,
                      double in_rate, double out_rate, const MutableTensorView& out) {
  const int64_t frames = in.shape()[0];
  const int64_t channels = in.shape().rank() == 2 ? in.shape()[1] : 1;
  const int64_t length = out.shape()[0];
  if (length == 0 || channels == 0) {
    return ok_status();
  }
  const bool is_plain = channels == 1 && in.dtype() == DType::kFloat;
  std::span<float> line;
  if (!is_plain) {
    FOREBAY_ASSIGN_OR_RETURN(const MutableBytes memory,
                             sample.scratch(static_cast<size_t>(frames) * sizeof(float)));
    line = {reinterpret_cast<float*>(memory.data()), static_cast<size_t>(frames)};
  }
  const int64_t pieces = (length + kResampledPiece - 1) / kResampledPiece;
  for (int64_t channel = 0; channel < channels; ++channel) {
    if (!is_plain) {
      FOREBAY_RETURN_IF_ERROR(kernels::channel_of_audio(in, channel, line));
    }
    const std::span<const float> samples =
        is_plain ? std::span(static_cast<const float*>(in.data), static_cast<size_t>(frames)) : line;
    FOREBAY_RETURN_IF_ERROR(sample.try_parallel_for(pieces, [&](int64_t piece) {
      const int64_t first = piece * kResampledPiece;
      const int64_t count = std::min(kResampledPiece, length - first);
      float made[kernels::kResampledBlock];
      for (int64_t at = 0; at < count; at += kernels::kResampledBlock) {
        const int64_t few = std::min(kernels::kResampledBlock, count - at);
        const std::span<float> block(made, static_cast<size_t>(few));
        resampler.run(samples, in_rate, out_rate, first + at, block);
        FOREBAY_RETURN_IF_ERROR(kernels::put_channel_of_audio(block, channel, first + at, out));
      }
      return ok_status();
    }));
  }
  return ok_status();
}

}  // namespace forebay::operators
