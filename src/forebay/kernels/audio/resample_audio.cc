#include "forebay/kernels/audio/resample_audio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "forebay/kernels/signal/hann.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/audio/resample_audio.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef FOREBAY_KERNELS_AUDIO_RESAMPLED_BLOCK_H_
#define FOREBAY_KERNELS_AUDIO_RESAMPLED_BLOCK_H_
namespace forebay::kernels {

inline constexpr int64_t kAudioSums = 8;
inline constexpr int kAudioPhases = 32;  // of a sample
inline constexpr int64_t kMaxAudioTaps = 128;

/// Outputs of one block, and the filter as rows of weights: row p is at p / 32 of a sample.
struct AudioBlock {
  const float* in;
  int64_t in_length;
  int64_t in_first;  // where positions count from
  float position;    // of the first output
  float step;
  const float* table;
  int64_t row_taps;
  int lobes;
  float* out;
  int64_t count;
};

}  // namespace forebay::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sum of samples[k] * (low[k] + part * (high[k] - low[k])).
HWY_INLINE float filtered(const float* HWY_RESTRICT samples, const float* HWY_RESTRICT low,
                          const float* HWY_RESTRICT high, float part, int64_t taps) {
  const hn::CappedTag<float, kAudioSums> d;
  using Vector = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr int64_t kVectors = kAudioSums / kLanes;
  const Vector parts = hn::Set(d, part);
  Vector sums[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    sums[v] = hn::Zero(d);
  }
  for (int64_t tap = 0; tap < taps; tap += kAudioSums) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const int64_t at = tap + v * kLanes;
      const Vector below = hn::LoadU(d, low + at);
      const Vector above = hn::LoadU(d, high + at);
      const Vector weight = hn::Add(below, hn::Mul(parts, hn::Sub(above, below)));
      sums[v] = hn::Add(sums[v], hn::Mul(hn::LoadU(d, samples + at), weight));
    }
  }
  HWY_ALIGN float each[kAudioSums];
  for (int64_t v = 0; v < kVectors; ++v) {
    hn::Store(sums[v], d, each + v * kLanes);
  }
  return ((each[0] + each[4]) + (each[2] + each[6])) + ((each[1] + each[5]) + (each[3] + each[7]));
}

void resample_block(const AudioBlock& block) {
  HWY_ALIGN float edge[kMaxAudioTaps];
  float position = block.position;
  for (int64_t i = 0; i < block.count; ++i, position += block.step) {
    const float above = std::ceil(position);
    const float phase = (above - position) * kAudioPhases;
    const auto row = std::min(static_cast<int64_t>(phase), int64_t{kAudioPhases - 1});
    const float part = phase - static_cast<float>(row);
    const float* low = block.table + row * block.row_taps;
    const int64_t first = block.in_first + static_cast<int64_t>(above) - block.lobes;
    const bool is_inside = first >= 0 && first + block.row_taps <= block.in_length;
    if (!is_inside) {
      for (int64_t tap = 0; tap < block.row_taps; ++tap) {
        const int64_t at = first + tap;
        edge[tap] = at >= 0 && at < block.in_length ? block.in[at] : 0.0f;
      }
    }
    const float* samples = is_inside ? block.in + first : edge;
    block.out[i] = filtered(samples, low, low + block.row_taps, part, block.row_taps);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(resample_block);

/// The filter at `number` 32nds of a sample from its beginning.
float filter_value(int64_t number, int lobes) {
  const int64_t middle = int64_t{kAudioPhases} * lobes;
  if (number > 2 * middle) {
    return 0.0f;
  }
  // One value more than intervals: DALI's window does not quite end at its end.
  const double reach = static_cast<double>(2 * middle + 1) / (2 * kAudioPhases);
  return static_cast<float>(hann_sinc(static_cast<double>(number - middle) / kAudioPhases, reach));
}

}  // namespace

Result<int64_t> resampled_length(int64_t length, double in_rate, double out_rate) {
  if (!(in_rate > 0) || !(out_rate >= 0) || !std::isfinite(in_rate) || !std::isfinite(out_rate)) {
    return invalid_argument("sound cannot be resampled from a rate of {} to {}", in_rate, out_rate);
  }
  const double wanted = std::ceil(static_cast<double>(length) * out_rate / in_rate);
  if (!(wanted < static_cast<double>(std::numeric_limits<int64_t>::max() / 2))) {
    return invalid_argument("{} samples of sound become too many from a rate of {} to {}", length, in_rate,
                            out_rate);
  }
  return static_cast<int64_t>(wanted);
}

Result<AudioResampler> AudioResampler::make(double quality) {
  if (!(quality >= 0 && quality <= 100)) {
    return invalid_argument("quality is {}; from 0 to 100 are possible", quality);
  }
  return AudioResampler(static_cast<int>(std::round(0.007 * quality * quality - 0.09 * quality + 3)));
}

AudioResampler::AudioResampler(int lobes)
    : lobes_(lobes), row_taps_((2 * lobes + kAudioSums - 1) / kAudioSums * kAudioSums) {
  table_.resize(static_cast<size_t>((kAudioPhases + 1) * row_taps_));
  for (int64_t row = 0; row <= kAudioPhases; ++row) {
    for (int64_t tap = 0; tap < 2 * lobes; ++tap) {
      table_[static_cast<size_t>(row * row_taps_ + tap)] = filter_value(row + tap * kAudioPhases, lobes);
    }
  }
}

void AudioResampler::run(std::span<const float> in, double in_rate, double out_rate, int64_t first,
                         std::span<float> out) const {
  const double step = in_rate / out_rate;
  const auto size = static_cast<int64_t>(out.size());
  for (int64_t at = 0; at < size; at += kResampledBlock) {
    const double place = static_cast<double>(first + at) * step;
    const double whole = std::floor(place);
    HWY_DYNAMIC_DISPATCH(resample_block)
    ({.in = in.data(),
      .in_length = static_cast<int64_t>(in.size()),
      .in_first = static_cast<int64_t>(whole),
      .position = static_cast<float>(place - whole),
      .step = static_cast<float>(step),
      .table = table_.data(),
      .row_taps = row_taps_,
      .lobes = lobes_,
      .out = out.data() + at,
      .count = std::min(kResampledBlock, size - at)});
  }
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
