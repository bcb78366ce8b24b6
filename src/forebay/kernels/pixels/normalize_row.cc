#include "forebay/kernels/pixels/normalize_row.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "forebay/kernels/generic/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/pixels/normalize_row.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE void store_normalized(D d, hn::Vec<D> value, int8_t* to) {
  store_rounded<HalvesAway>(d, clamp_to<int8_t>(d, value), to);
}
template <class D>
HWY_INLINE void store_normalized(D d, hn::Vec<D> value, uint8_t* to) {
  store_rounded<HalvesAway>(d, clamp_to<uint8_t>(d, value), to);
}
template <class D>
HWY_INLINE void store_normalized(D d, hn::Vec<D> value, float* to) {
  hn::StoreU(value, d, to);
}
template <class D>
HWY_INLINE void store_normalized(D d, hn::Vec<D> value, tensor::Float16* to) {
#if HWY_TARGET <= HWY_AVX2 || \
    HWY_ARCH_ARM  // the hardware converts to nearest even; elsewhere it would truncate
  const hn::Rebind<hwy::float16_t, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, value), narrow, reinterpret_cast<hwy::float16_t*>(to));
#else
  alignas(64) float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(value, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    to[i] = tensor::Float16(lanes[i]);
  }
#endif
}

// One channel; `in` and `out` are dense. The last `width` % lanes values are done one at a time.
template <class T>
HWY_INLINE void normalize_plane(const uint8_t* HWY_RESTRICT in, int64_t width, bool mirror, float mean,
                                float multiplier, float shift, T* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto means = hn::Set(d, mean);
  const auto multipliers = hn::Set(d, multiplier);
  const auto shifts = hn::Set(d, shift);
  int64_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto centered = hn::Sub(load_float(d, in + x), means);
    const auto value = hn::Add(hn::Mul(centered, multipliers), shifts);
    if (mirror) {
      store_normalized(d, hn::Reverse(d, value), out + (width - x - lanes));
    } else {
      store_normalized(d, value, out + x);
    }
  }
  for (; x < width; ++x) {
    const float value = (static_cast<float>(in[x]) - mean) * multiplier + shift;
    out[mirror ? width - 1 - x : x] = convert_saturated<T>(value);
  }
}

void plane_to_float(const uint8_t* in, int64_t width, bool mirror, float mean, float multiplier, float shift,
                    float* out) {
  normalize_plane(in, width, mirror, mean, multiplier, shift, out);
}
void plane_to_float16(const uint8_t* in, int64_t width, bool mirror, float mean, float multiplier,
                      float shift, tensor::Float16* out) {
  normalize_plane(in, width, mirror, mean, multiplier, shift, out);
}
void plane_to_uint8(const uint8_t* in, int64_t width, bool mirror, float mean, float multiplier, float shift,
                    uint8_t* out) {
  normalize_plane(in, width, mirror, mean, multiplier, shift, out);
}
void plane_to_int8(const uint8_t* in, int64_t width, bool mirror, float mean, float multiplier, float shift,
                   int8_t* out) {
  normalize_plane(in, width, mirror, mean, multiplier, shift, out);
}

// Splits pixels of three channels into three rows, `pitch` bytes apart.
void split_three(const uint8_t* HWY_RESTRICT in, int64_t width, int64_t pitch, uint8_t* HWY_RESTRICT out) {
  int64_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<uint8_t, 16> d;
  for (; x + 16 <= width; x += 16) {
    hn::Vec<decltype(d)> planes[3];
    hn::LoadInterleaved3(d, in + 3 * x, planes[0], planes[1], planes[2]);
    for (int c = 0; c < 3; ++c) {
      hn::StoreU(planes[c], d, out + c * pitch + x);
    }
  }
#endif
  for (; x < width; ++x) {
    for (int c = 0; c < 3; ++c) {
      out[c * pitch + x] = in[3 * x + c];
    }
  }
}

// The value that a resampled value has after rounding to uint8, still as a float.
template <class D>
HWY_INLINE hn::Vec<D> rounded_to_byte(D d, hn::Vec<D> value) {
  return round_to_even(d, clamp_to<uint8_t>(d, value));
}

HWY_INLINE void normalize_three(const float* HWY_RESTRICT in, int x, int width, bool mirror,
                                const NormalizeConstants& constants, float* HWY_RESTRICT out, int64_t plane) {
  const int to = mirror ? width - 1 - x : x;
  for (int c = 0; c < 3; ++c) {
    const auto byte = static_cast<float>(convert_to_even<uint8_t>(in[3 * x + c]));
    out[c * plane + to] = (byte - constants.mean[c]) * constants.multiplier[c] + constants.shift;
  }
}

#if HWY_TARGET != HWY_SCALAR
// As many pixels as a vector has lanes, at most 8: wider vectors would only wait for memory.
#if HWY_TARGET <= HWY_AVX2
using Pixels = hn::FixedTag<float, 8>;
#else
using Pixels = hn::FixedTag<float, 4>;
#endif

// Loads the pixel at `from` and, into the upper half of a vector of 8, the fourth one after it. Reads one
// float further.
HWY_INLINE hn::Vec<Pixels> load_pixel_pair(const float* HWY_RESTRICT from) {
#if HWY_TARGET <= HWY_AVX2
  const hn::FixedTag<float, 4> half;
  return hn::Combine(Pixels(), hn::LoadU(half, from + 12), hn::LoadU(half, from));
#else
  return hn::LoadU(Pixels(), from);
#endif
}

// Transposes 4x4 within each 128-bit block: pixels to channels.
HWY_INLINE void load_channels(const float* HWY_RESTRICT from, hn::Vec<Pixels>* HWY_RESTRICT channels) {
  const Pixels d;
  const hn::Repartition<double, Pixels> pairs;
  const auto p0 = load_pixel_pair(from);
  const auto p1 = load_pixel_pair(from + 3);
  const auto p2 = load_pixel_pair(from + 6);
  const auto p3 = load_pixel_pair(from + 9);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, p0, p1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, p2, p3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, p0, p1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, p2, p3));
  channels[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  channels[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  channels[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
}
#endif

template <bool kMirror>
HWY_INLINE void round_normalize_all(const float* HWY_RESTRICT in, int width,
                                    const NormalizeConstants& constants, float* HWY_RESTRICT out,
                                    int64_t plane) {
  int x = 0;
#if HWY_TARGET != HWY_SCALAR
  // Rows arrive in fours, with decoding in between: time to prefetch the lines of the next ones.
  const int64_t rows_ahead = 4 * static_cast<int64_t>(width);
  const Pixels d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto shift = hn::Set(d, constants.shift);
  hn::Vec<Pixels> means[3];
  hn::Vec<Pixels> multipliers[3];
  for (int c = 0; c < 3; ++c) {
    means[c] = hn::Set(d, constants.mean[c]);
    multipliers[c] = hn::Set(d, constants.multiplier[c]);
  }
  for (; x + lanes <= width; x += lanes) {
    hn::Vec<Pixels> channels[3];
    load_channels(in + 3 * static_cast<int64_t>(x), channels);
    float* HWY_RESTRICT to = out + (kMirror ? width - x - lanes : x);
    for (int c = 0; c < 3; ++c) {
      const auto centered = hn::Sub(rounded_to_byte(d, channels[c]), means[c]);
      const auto value = hn::Add(hn::Mul(centered, multipliers[c]), shift);
      hn::StoreU(kMirror ? hn::Reverse(d, value) : value, d, to + c * plane);
      hwy::Prefetch(to + c * plane + rows_ahead);
    }
  }
#endif
  for (; x < width; ++x) {
    normalize_three(in, x, width, kMirror, constants, out, plane);
  }
}

void round_normalize_three(const float* HWY_RESTRICT in, int width, bool mirror,
                           const NormalizeConstants& constants, float* HWY_RESTRICT out, int64_t plane) {
  if (mirror) {
    round_normalize_all<true>(in, width, constants, out, plane);
  } else {
    round_normalize_all<false>(in, width, constants, out, plane);
  }
}

// Interleaved to interleaved float, dense on both sides, not mirrored: the constants repeat with the
// channels.
void dense_to_float(const uint8_t* HWY_RESTRICT in, int64_t width, int channels,
                    const NormalizeConstants& constants, float* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t size = width * channels;
  const int64_t period = lanes * channels;
  alignas(64) float means[16 * kMaxNormalizedChannels];
  alignas(64) float multipliers[16 * kMaxNormalizedChannels];
  for (int64_t i = 0; i < period; ++i) {
    means[i] = constants.mean[i % channels];
    multipliers[i] = constants.multiplier[i % channels];
  }
  const auto shifts = hn::Set(d, constants.shift);
  int64_t at = 0;
  for (; at + period <= size; at += period) {
    for (int64_t i = 0; i < period; i += lanes) {
      const auto centered = hn::Sub(load_float(d, in + at + i), hn::Load(d, means + i));
      hn::StoreU(hn::Add(hn::Mul(centered, hn::Load(d, multipliers + i)), shifts), d, out + at + i);
    }
  }
  for (; at < size; ++at) {
    const int c = static_cast<int>(at % channels);
    out[at] = (static_cast<float>(in[at]) - constants.mean[c]) * constants.multiplier[c] + constants.shift;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(plane_to_float);
HWY_EXPORT(plane_to_float16);
HWY_EXPORT(plane_to_uint8);
HWY_EXPORT(plane_to_int8);
HWY_EXPORT(split_three);
HWY_EXPORT(dense_to_float);
HWY_EXPORT(round_normalize_three);

namespace {

using tensor::DType;
using tensor::Float16;

// Converts one channel of a row to a dense row of `out`.
void normalize_plane(const uint8_t* in, int width, bool mirror, const NormalizeConstants& constants,
                     int channel, const NormalizedRow& out) {
  const float mean = constants.mean[channel];
  const float multiplier = constants.multiplier[channel];
  const float shift = constants.shift;
  const int64_t at = channel * out.channel_stride;
  switch (out.dtype) {
    case DType::kFloat16:
      return HWY_DYNAMIC_DISPATCH(plane_to_float16)(in, width, mirror, mean, multiplier, shift,
                                                    static_cast<Float16*>(out.data) + at);
    case DType::kUint8:
      return HWY_DYNAMIC_DISPATCH(plane_to_uint8)(in, width, mirror, mean, multiplier, shift,
                                                  static_cast<uint8_t*>(out.data) + at);
    case DType::kInt8:
      return HWY_DYNAMIC_DISPATCH(plane_to_int8)(in, width, mirror, mean, multiplier, shift,
                                                 static_cast<int8_t*>(out.data) + at);
    default:
      return HWY_DYNAMIC_DISPATCH(plane_to_float)(in, width, mirror, mean, multiplier, shift,
                                                  static_cast<float*>(out.data) + at);
  }
}

struct RowStrides {
  int64_t pixel;
  int64_t channel;
};

// Any strides, one value at a time.
template <class In, class Out>
void normalize_any(const In* in, RowStrides strides, int width, int channels, bool mirror,
                   const NormalizeConstants& constants, const NormalizedRow& out) {
  Out* data = static_cast<Out*>(out.data);
  for (int x = 0; x < width; ++x) {
    const int64_t to = (mirror ? width - 1 - x : x) * out.pixel_stride;
    for (int c = 0; c < channels; ++c) {
      const float value = static_cast<float>(in[x * strides.pixel + c * strides.channel]);
      data[to + c * out.channel_stride] =
          convert_saturated<Out>((value - constants.mean[c]) * constants.multiplier[c] + constants.shift);
    }
  }
}

template <class In>
void normalize_any(const In* in, RowStrides strides, int width, int channels, bool mirror,
                   const NormalizeConstants& constants, const NormalizedRow& out) {
  switch (out.dtype) {
    case DType::kFloat16:
      return normalize_any<In, Float16>(in, strides, width, channels, mirror, constants, out);
    case DType::kUint8:
      return normalize_any<In, uint8_t>(in, strides, width, channels, mirror, constants, out);
    case DType::kInt8:
      return normalize_any<In, int8_t>(in, strides, width, channels, mirror, constants, out);
    default:
      return normalize_any<In, float>(in, strides, width, channels, mirror, constants, out);
  }
}

}  // namespace

void normalize_row(const uint8_t* in, int width, int channels, bool mirror,
                   const NormalizeConstants& constants, const NormalizedRow& out) {
  const bool is_planar = out.pixel_stride == 1;
  if (is_planar && channels == 3) {
    constexpr int kBlock = 1024;
    uint8_t planes[3 * kBlock];
    for (int x = 0; x < width; x += kBlock) {
      const int size = std::min(kBlock, width - x);
      HWY_DYNAMIC_DISPATCH(split_three)(in + 3 * static_cast<int64_t>(x), size, kBlock, planes);
      NormalizedRow part = out;
      const int64_t to = mirror ? width - x - size : x;
      part.data = static_cast<std::byte*>(out.data) + to * static_cast<int64_t>(tensor::size_of(out.dtype));
      for (int c = 0; c < 3; ++c) {
        normalize_plane(planes + c * kBlock, size, mirror, constants, c, part);
      }
    }
  } else if (is_planar && channels == 1) {
    normalize_plane(in, width, mirror, constants, 0, out);
  } else if (out.dtype == DType::kFloat && !mirror && out.channel_stride == 1 &&
             out.pixel_stride == channels) {
    HWY_DYNAMIC_DISPATCH(dense_to_float)(in, width, channels, constants, static_cast<float*>(out.data));
  } else {
    normalize_any(in, {channels, 1}, width, channels, mirror, constants, out);
  }
}

void round_normalize_row(const float* in, int width, bool mirror, const NormalizeConstants& constants,
                         float* out, int64_t plane) {
  HWY_DYNAMIC_DISPATCH(round_normalize_three)(in, width, mirror, constants, out, plane);
}

void normalize_row(const float* in, int64_t in_pixel_stride, int64_t in_channel_stride, int width,
                   int channels, bool mirror, const NormalizeConstants& constants, const NormalizedRow& out) {
  normalize_any(in, {in_pixel_stride, in_channel_stride}, width, channels, mirror, constants, out);
}

}  // namespace forebay::kernels
#endif
