// The horizontal pass. A pixel is a vector of four floats on every target: its channels, followed by channels
// of its neighbour, whose sums the neighbour then overwrites with its own. Four rows at a time share the
// weights and hide the latency of the additions.
#include "forebay/kernels/resampling/resample_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/resampling/resample_horizontal.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "forebay/kernels/pixels/fused_add-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// Without vectors of four: the same sums, one at a time.
HWY_INLINE void resample_row(const HorizontalWindow& window, const float* in, float* out) {
  const int64_t channels = window.channels;
  for (int x = window.begin; x < window.end; ++x) {
    const float* weights = window.axis->window_weights(x);
    const float* pixel = in + window.axis->window_first(x) * channels;
    for (int64_t c = 0; c < channels; ++c) {
      float sum = weights[0] * pixel[c];
      for (int k = 1; k < window.axis->support(); ++k) {
        sum = std::fma(weights[k], pixel[k * channels + c], sum);
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

using Pixel = hn::FixedTag<float, 4>;

// The sum of one pixel's taps in one row.
template <int kTaps, int kChannels>
struct PixelTaps {
  const float* HWY_RESTRICT weights;
  int64_t from;
  int taps;
  int channels;

  HWY_INLINE hn::Vec<Pixel> load(const float* HWY_RESTRICT row, int k) const {
    const int64_t stride = kChannels != 0 ? kChannels : channels;
    return hn::LoadU(Pixel(), row + from + k * stride);
  }

  // kTaps 1 to 4 are unrolled by hand, for compilers that keep loops; 0 is any number.
  HWY_INLINE void add_up(const float* const HWY_RESTRICT* rows, float* const HWY_RESTRICT* out,
                         int64_t to) const {
    const Pixel d;
    auto weight = hn::Set(d, weights[0]);
    auto sum0 = hn::Mul(weight, load(rows[0], 0));
    auto sum1 = hn::Mul(weight, load(rows[1], 0));
    auto sum2 = hn::Mul(weight, load(rows[2], 0));
    auto sum3 = hn::Mul(weight, load(rows[3], 0));
    const auto add = [&](int k) HWY_ATTR {
      weight = hn::Set(d, weights[k]);
      sum0 = fused_add(d, weight, load(rows[0], k), sum0);
      sum1 = fused_add(d, weight, load(rows[1], k), sum1);
      sum2 = fused_add(d, weight, load(rows[2], k), sum2);
      sum3 = fused_add(d, weight, load(rows[3], k), sum3);
    };
    if constexpr (kTaps > 1) {
      add(1);
    }
    if constexpr (kTaps > 2) {
      add(2);
    }
    if constexpr (kTaps > 3) {
      add(3);
    }
    if constexpr (kTaps == 0) {
      for (int k = 1; k < taps; ++k) {
        add(k);
      }
    }
    hn::StoreU(sum0, d, out[0] + to);
    hn::StoreU(sum1, d, out[1] + to);
    hn::StoreU(sum2, d, out[2] + to);
    hn::StoreU(sum3, d, out[3] + to);
  }
};

// kTaps and kChannels are 0 if only known at run time. The axis' fields are copied first, because as far as
// the compiler knows a store could change them.
template <int kTaps, int kChannels>
HWY_INLINE void resample_pixels(const HorizontalWindow& window, const float* const* in, float* const* out) {
  const int channels = kChannels != 0 ? kChannels : window.channels;
  const int taps = kTaps != 0 ? kTaps : window.axis->support();
  const int last_first = window.axis->in_size() - taps;
  const int32_t* HWY_RESTRICT firsts = window.axis->firsts().data();
  const float* HWY_RESTRICT weights = window.axis->window_weights(window.begin);
  const int end = window.end;
  const float* const rows[4] = {in[0], in[1], in[2], in[3]};
  float* const targets[4] = {out[0], out[1], out[2], out[3]};
  int64_t to = 0;
  for (int x = window.begin; x < end; ++x) {
    const int64_t from = static_cast<int64_t>(std::min(firsts[x], last_first)) * channels;
    for (int c = 0; c < channels; c += 4) {
      const PixelTaps<kTaps, kChannels> pixel{weights, from + c, taps, channels};
      pixel.add_up(rows, targets, to + c);
    }
    weights += taps;
    to += channels;
  }
}

template <int kChannels>
HWY_INLINE void resample_by_taps(const HorizontalWindow& window, const float* const* in, float* const* out) {
  switch (window.axis->support()) {
    case 2:
      return resample_pixels<2, kChannels>(window, in, out);
    case 3:
      return resample_pixels<3, kChannels>(window, in, out);
    case 4:
      return resample_pixels<4, kChannels>(window, in, out);
    default:
      return resample_pixels<0, kChannels>(window, in, out);
  }
}

void resample_four(const HorizontalWindow& window, const float* const* in, float* const* out) {
  switch (window.channels) {
    case 3:
      return resample_by_taps<3>(window, in, out);
    case 4:
      return resample_by_taps<4>(window, in, out);
    default:
      return resample_pixels<0, 0>(window, in, out);
  }
}

// One row of four-channel pixels.
void resample_one(const HorizontalWindow& window, const float* const* in, float* const* out) {
  const Pixel d;
  const int taps = window.axis->support();
  const int last_first = window.axis->in_size() - taps;
  const int32_t* HWY_RESTRICT firsts = window.axis->firsts().data();
  const float* HWY_RESTRICT weights = window.axis->window_weights(window.begin);
  const float* HWY_RESTRICT row = in[0];
  float* HWY_RESTRICT to = out[0];
  for (int x = window.begin; x < window.end; ++x) {
    const float* HWY_RESTRICT pixel = row + static_cast<int64_t>(std::min(firsts[x], last_first)) * 4;
    auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, pixel));
    for (int k = 1; k < taps; ++k) {
      sum = fused_add(d, hn::Set(d, weights[k]), hn::LoadU(d, pixel + 4 * k), sum);
    }
    hn::StoreU(sum, d, to);
    weights += taps;
    to += 4;
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

// Interleaves four rows of `width` values to pixels of four channels.
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

void resample_rows(const HorizontalWindow& window, int count, const float* const* in, float* const* out,
                   float* scratch) {
  if (window.channels == 1 && count == kResampleRows) {  // treated as one row of four channels
    const int64_t in_width = window.axis->in_size();
    const int64_t width = window.end - window.begin;
    float* resampled = scratch + kResampleRows * in_width;
    const float* source = scratch;
    HWY_DYNAMIC_DISPATCH(interleave_rows)(in, in_width, scratch);
    HWY_DYNAMIC_DISPATCH(resample_one)({window.axis, window.begin, window.end, 4}, &source, &resampled);
    HWY_DYNAMIC_DISPATCH(deinterleave_rows)(resampled, width, out);
    return;
  }
  const float* sources[kResampleRows];
  float* targets[kResampleRows];
  for (int row = 0; row < kResampleRows; ++row) {  // missing rows repeat the last
    sources[row] = in[std::min(row, count - 1)];
    targets[row] = out[std::min(row, count - 1)];
  }
  HWY_DYNAMIC_DISPATCH(resample_four)(window, sources, targets);
}

}  // namespace forebay::kernels
#endif
