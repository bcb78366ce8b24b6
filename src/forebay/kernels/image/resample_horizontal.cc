// The horizontal pass. A pixel is a vector of four floats on every target: its channels, and behind them
// channels of its neighbour, whose sums are overwritten by the neighbour's own. Four rows at a time share the
// weights and hide the latency of the additions.
#include "forebay/kernels/image/resample_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/resample_horizontal.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// No vectors of four: the same sums, one by one.
HWY_INLINE void resample_row(const HorizontalWindow& window, const float* in, float* out) {
  const int64_t channels = window.channels;
  for (int x = window.begin; x < window.end; ++x) {
    const float* weights = window.axis->window_weights(x);
    const float* pixel = in + window.axis->window_first(x) * channels;
    for (int64_t c = 0; c < channels; ++c) {
      float sum = weights[0] * pixel[c];
      for (int k = 1; k < window.axis->support(); ++k) {
        sum += weights[k] * pixel[k * channels + c];
      }
      *out++ = sum;
    }
  }
}

void resample_one(const HorizontalWindow& window, const float* const* in, float* const* out) {
  resample_row(window, in[0], out[0]);
}

void resample_four(const HorizontalWindow& window, const float* const* in, float* const* out) {
  for (int row = 0; row < 4; ++row) {
    resample_row(window, in[row], out[row]);
  }
}

#else

// kTaps and kChannels are 0 when only known at run time.
template <int kRows, int kTaps, int kChannels>
HWY_INLINE void resample_pixels(const HorizontalWindow& window, const float* const* in, float* const* out) {
  const hn::FixedTag<float, 4> d;
  const int taps = kTaps != 0 ? kTaps : window.axis->support();
  const int channels = kChannels != 0 ? kChannels : window.channels;
  const float* HWY_RESTRICT sources[kRows];
  float* HWY_RESTRICT targets[kRows];
  for (int row = 0; row < kRows; ++row) {
    sources[row] = in[row];
    targets[row] = out[row];
  }
  for (int x = window.begin; x < window.end; ++x) {
    const float* HWY_RESTRICT weights = window.axis->window_weights(x);
    const int64_t from = static_cast<int64_t>(window.axis->window_first(x)) * channels;
    const int64_t to = static_cast<int64_t>(x - window.begin) * channels;
    for (int c = 0; c < channels; c += 4) {
      hn::Vec<decltype(d)> sums[kRows];
      const auto first_weight = hn::Set(d, weights[0]);
      for (int row = 0; row < kRows; ++row) {
        sums[row] = hn::Mul(first_weight, hn::LoadU(d, sources[row] + from + c));
      }
      for (int k = 1; k < taps; ++k) {
        const auto weight = hn::Set(d, weights[k]);
        for (int row = 0; row < kRows; ++row) {
          const auto pixel = hn::LoadU(d, sources[row] + from + static_cast<int64_t>(k) * channels + c);
          sums[row] = hn::Add(sums[row], hn::Mul(weight, pixel));
        }
      }
      for (int row = 0; row < kRows; ++row) {
        hn::StoreU(sums[row], d, targets[row] + to + c);
      }
    }
  }
}

template <int kRows, int kChannels>
HWY_INLINE void resample_by_taps(const HorizontalWindow& window, const float* const* in, float* const* out) {
  switch (window.axis->support()) {
    case 2:
      return resample_pixels<kRows, 2, kChannels>(window, in, out);
    case 3:
      return resample_pixels<kRows, 3, kChannels>(window, in, out);
    case 4:
      return resample_pixels<kRows, 4, kChannels>(window, in, out);
    default:
      return resample_pixels<kRows, 0, kChannels>(window, in, out);
  }
}

template <int kRows>
HWY_INLINE void resample_by_channels(const HorizontalWindow& window, const float* const* in,
                                     float* const* out) {
  switch (window.channels) {
    case 3:
      return resample_by_taps<kRows, 3>(window, in, out);
    case 4:
      return resample_by_taps<kRows, 4>(window, in, out);
    default:
      return resample_pixels<kRows, 0, 0>(window, in, out);
  }
}

void resample_four(const HorizontalWindow& window, const float* const* in, float* const* out) {
  resample_by_channels<4>(window, in, out);
}
void resample_one(const HorizontalWindow& window, const float* const* in, float* const* out) {
  resample_by_channels<1>(window, in, out);
}

#endif  // HWY_TARGET == HWY_SCALAR

// Four rows of `width` values to pixels of four channels.
void interleave_rows(const float* const* in, int64_t width, float* HWY_RESTRICT out) {
  int64_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  for (; x + 4 <= width; x += 4) {
    hn::StoreInterleaved4(hn::LoadU(d, in[0] + x), hn::LoadU(d, in[1] + x), hn::LoadU(d, in[2] + x),
                          hn::LoadU(d, in[3] + x), d, out + 4 * x);
  }
#endif
  for (; x < width; ++x) {
    for (int row = 0; row < 4; ++row) {
      out[4 * x + row] = in[row][x];
    }
  }
}

void deinterleave_rows(const float* HWY_RESTRICT in, int64_t width, float* const* out) {
  int64_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  for (; x + 4 <= width; x += 4) {
    hn::Vec<decltype(d)> rows[4];
    hn::LoadInterleaved4(d, in + 4 * x, rows[0], rows[1], rows[2], rows[3]);
    for (int row = 0; row < 4; ++row) {
      hn::StoreU(rows[row], d, out[row] + x);
    }
  }
#endif
  for (; x < width; ++x) {
    for (int row = 0; row < 4; ++row) {
      out[row][x] = in[4 * x + row];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(resample_four);
HWY_EXPORT(resample_one);
HWY_EXPORT(interleave_rows);
HWY_EXPORT(deinterleave_rows);

void resample_rows(const HorizontalWindow& window, int count, const float* const* in, float* const* out) {
  if (window.channels == 1 && count == kResampleRows) {  // as one row of four channels
    const int64_t in_width = window.axis->in_size();
    const int64_t width = window.end - window.begin;
    std::vector<float> pixels(4 * (static_cast<size_t>(in_width + width)));
    float* resampled = pixels.data() + 4 * in_width;
    const float* source = pixels.data();
    HWY_DYNAMIC_DISPATCH(interleave_rows)(in, in_width, pixels.data());
    HWY_DYNAMIC_DISPATCH(resample_one)({window.axis, window.begin, window.end, 4}, &source, &resampled);
    HWY_DYNAMIC_DISPATCH(deinterleave_rows)(resampled, width, out);
    return;
  }
  if (count == kResampleRows) {
    HWY_DYNAMIC_DISPATCH(resample_four)(window, in, out);
    return;
  }
  for (int row = 0; row < count; ++row) {
    HWY_DYNAMIC_DISPATCH(resample_one)(window, in + row, out + row);
  }
}

}  // namespace forebay::kernels
#endif
