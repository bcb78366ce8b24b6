// The horizontal pass. Four rows are interleaved value by value, so that a pixel is 4 * channels floats
// beside each other whatever its channels: every lane of a vector does useful work, and the weights are
// loaded once.
#include "forebay/kernels/image/resample_passes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/resample_horizontal.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
using Narrow = hn::FixedTag<float, 1>;
#else
using Narrow = hn::FixedTag<float, 4>;
#endif
using Wide = hn::CappedTag<float, 8>;

// The sums of one pixel's taps, all of one vector.
template <int kTaps, class D>
HWY_INLINE void add_up(D d, const float* HWY_RESTRICT weights, int taps, const float* HWY_RESTRICT in,
                       int64_t stride, float* HWY_RESTRICT out) {
  auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, in));
  const auto add = [&](int k) HWY_ATTR {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[k]), hn::LoadU(d, in + k * stride)));
  };
  if constexpr (kTaps != 0) {
    taps = kTaps;
  }
  for (int k = 1; k < taps; ++k) {
    add(k);
  }
  hn::StoreU(sum, d, out);
}

#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
// Pixels of 12 floats, kPixels of them at once: their sums do not wait for each other.
template <int kPixels, int kTaps>
HWY_INLINE void add_up_three(const float* const* weights, int taps, const float* const* in,
                             float* HWY_RESTRICT out) {
  constexpr int64_t kStride = 12;
  constexpr int64_t kSplit = 8;
  static_assert(kPixels == 1 || kPixels == 4);
  const Wide d;
  const Narrow half;
  const float* HWY_RESTRICT weights0 = weights[0];
  const float* HWY_RESTRICT weights1 = weights[kPixels == 4 ? 1 : 0];
  const float* HWY_RESTRICT weights2 = weights[kPixels == 4 ? 2 : 0];
  const float* HWY_RESTRICT weights3 = weights[kPixels == 4 ? 3 : 0];
  const float* HWY_RESTRICT in0 = in[0];
  const float* HWY_RESTRICT in1 = in[kPixels == 4 ? 1 : 0];
  const float* HWY_RESTRICT in2 = in[kPixels == 4 ? 2 : 0];
  const float* HWY_RESTRICT in3 = in[kPixels == 4 ? 3 : 0];
  auto wide0 = hn::Undefined(d), wide1 = wide0, wide2 = wide0, wide3 = wide0;
  auto half0 = hn::Undefined(half), half1 = half0, half2 = half0, half3 = half0;
  const auto add = [&](int k, auto is_first) HWY_ATTR {
    const int64_t at = k * kStride;
    const auto add_one = [&](const float* HWY_RESTRICT pixel_weights, const float* HWY_RESTRICT pixel,
                             auto& wide_sum, auto& half_sum) HWY_ATTR {
      const auto weight = hn::Set(d, pixel_weights[k]);
      const auto wide_term = hn::Mul(weight, hn::LoadU(d, pixel + at));
      const auto half_term = hn::Mul(hn::LowerHalf(half, weight), hn::LoadU(half, pixel + at + kSplit));
      wide_sum = is_first() ? wide_term : hn::Add(wide_sum, wide_term);
      half_sum = is_first() ? half_term : hn::Add(half_sum, half_term);
    };
    add_one(weights0, in0, wide0, half0);
    if constexpr (kPixels == 4) {
      add_one(weights1, in1, wide1, half1);
      add_one(weights2, in2, wide2, half2);
      add_one(weights3, in3, wide3, half3);
    }
  };
  add(0, std::true_type());
  if constexpr (kTaps > 1) {  // written out, for compilers that keep loops
    add(1, std::false_type());
  }
  if constexpr (kTaps > 2) {
    add(2, std::false_type());
  }
  if constexpr (kTaps > 3) {
    add(3, std::false_type());
  }
  if constexpr (kTaps == 0) {
    for (int k = 1; k < taps; ++k) {
      add(k, std::false_type());
    }
  }
  hn::StoreU(wide0, d, out);
  hn::StoreU(half0, half, out + kSplit);
  if constexpr (kPixels == 4) {
    hn::StoreU(wide1, d, out + kStride);
    hn::StoreU(half1, half, out + kStride + kSplit);
    hn::StoreU(wide2, d, out + 2 * kStride);
    hn::StoreU(half2, half, out + 2 * kStride + kSplit);
    hn::StoreU(wide3, d, out + 3 * kStride);
    hn::StoreU(half3, half, out + 3 * kStride + kSplit);
  }
}

template <int kPixels, int kTaps>
HWY_INLINE void resample_three(const HorizontalWindow& window, int x, int first_pixel, const float* in,
                               float* out) {
  const ResampleAxis& axis = *window.axis;
  const float* weights[kPixels];
  const float* from[kPixels];
  for (int i = 0; i < kPixels; ++i) {
    weights[i] = axis.window_weights(x + i);
    from[i] = in + (axis.window_first(x + i) - first_pixel) * int64_t{12};
  }
  add_up_three<kPixels, kTaps>(weights, axis.support(), from, out + (x - window.begin) * int64_t{12});
}
#endif

template <int kTaps>
HWY_INLINE void resample_pixels(const HorizontalWindow& window, int first_pixel, const float* in,
                                float* out) {
  const ResampleAxis& axis = *window.axis;
  const int64_t floats = 4 * static_cast<int64_t>(window.channels);
  const int taps = axis.support();
  int x = window.begin;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
  if (floats == 12) {
    for (; x + 4 <= window.end; x += 4) {
      resample_three<4, kTaps>(window, x, first_pixel, in, out);
    }
    for (; x < window.end; ++x) {
      resample_three<1, kTaps>(window, x, first_pixel, in, out);
    }
    return;
  }
#endif
  for (; x < window.end; ++x) {
    const float* weights = axis.window_weights(x);
    const float* from = in + (axis.window_first(x) - first_pixel) * floats;
    int64_t at = 0;
    for (; at < floats; at += static_cast<int64_t>(hn::Lanes(Narrow()))) {
      add_up<kTaps>(Narrow(), weights, taps, from + at, floats, out + at);
    }
    out += floats;
  }
}

void resample_interleaved(const HorizontalWindow& window, int first_pixel, const float* in, float* out) {
  switch (window.axis->support()) {
    case 2:
      return resample_pixels<2>(window, first_pixel, in, out);
    case 3:
      return resample_pixels<3>(window, first_pixel, in, out);
    case 4:
      return resample_pixels<4>(window, first_pixel, in, out);
    default:
      return resample_pixels<0>(window, first_pixel, in, out);
  }
}

// out[4 * i + row] = in[row][i].
void interleave_rows(const float* const* in, int64_t size, float* HWY_RESTRICT out) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 8> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= size; i += lanes) {
    hn::StoreInterleaved4(hn::LoadU(d, in[0] + i), hn::LoadU(d, in[1] + i), hn::LoadU(d, in[2] + i),
                          hn::LoadU(d, in[3] + i), d, out + 4 * i);
  }
#endif
  for (; i < size; ++i) {
    for (int row = 0; row < 4; ++row) {
      out[4 * i + row] = in[row][i];
    }
  }
}

void deinterleave_rows(const float* HWY_RESTRICT in, int64_t size, float* const* out) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 8> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= size; i += lanes) {
    hn::Vec<decltype(d)> rows[4];
    hn::LoadInterleaved4(d, in + 4 * i, rows[0], rows[1], rows[2], rows[3]);
    for (int row = 0; row < 4; ++row) {
      hn::StoreU(rows[row], d, out[row] + i);
    }
  }
#endif
  for (; i < size; ++i) {
    for (int row = 0; row < 4; ++row) {
      out[row][i] = in[4 * i + row];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(resample_interleaved);
HWY_EXPORT(interleave_rows);
HWY_EXPORT(deinterleave_rows);

void resample_rows(const HorizontalWindow& window, int count, const float* const* in, float* const* out,
                   std::vector<float>* scratch) {
  const ResampleAxis& axis = *window.axis;
  // Flipped axes begin at the other end.
  const int first = std::min(axis.window_first(window.begin), axis.window_first(window.end - 1));
  const int last = std::max(axis.window_first(window.begin), axis.window_first(window.end - 1));
  const int64_t channels = window.channels;
  const int64_t in_size = (last + axis.support() - first) * channels;
  const int64_t out_size = (window.end - window.begin) * channels;
  const float* sources[kResampleRows];
  float* targets[kResampleRows];
  for (int row = 0; row < kResampleRows; ++row) {  // missing rows repeat the last
    sources[row] = in[std::min(row, count - 1)] + first * channels;
    targets[row] = out[std::min(row, count - 1)];
  }
  const auto needed = static_cast<size_t>(kResampleRows * (in_size + out_size));
  if (scratch->size() < needed) {
    scratch->resize(needed);
  }
  float* const interleaved = scratch->data();
  float* const resampled = interleaved + kResampleRows * in_size;
  HWY_DYNAMIC_DISPATCH(interleave_rows)(sources, in_size, interleaved);
  HWY_DYNAMIC_DISPATCH(resample_interleaved)(window, first, interleaved, resampled);
  HWY_DYNAMIC_DISPATCH(deinterleave_rows)(resampled, out_size, targets);
}

}  // namespace forebay::kernels
#endif
