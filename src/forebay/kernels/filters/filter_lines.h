// Lines of pixels as filters take them: extended beyond their ends as floats, and made into pixels again.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/generic/convert.h"

namespace forebay::kernels {

/// The smallest and largest float that an integer type holds, clear of what rounding would take beyond it.
template <class T>
struct FloatRange {
  static constexpr float kLow = static_cast<float>(std::numeric_limits<T>::min());
  static constexpr float kHigh = static_cast<float>(std::numeric_limits<T>::max());
};

/// Float to an element: of integers of up to 16 bits the nearest, halves to even, saturated, and NaN is 0; of
/// others as convert_saturated().
template <class Out>
inline Out convert_to_even(float value) {
  if constexpr (std::is_integral_v<Out> && sizeof(Out) <= 2 && !std::is_same_v<Out, bool>) {
    constexpr float kShift = 12582912.0f;  // 1.5 * 2^23: what is added to it has no fraction
    float within = value < FloatRange<Out>::kHigh ? value : FloatRange<Out>::kHigh;
    within = within > FloatRange<Out>::kLow ? within : FloatRange<Out>::kLow;
    within = value == value ? within : 0.0f;
    return static_cast<Out>(static_cast<int32_t>((within + kShift) - kShift));
  } else {
    return convert_saturated<Out>(value);
  }
}

template <class Out>
void store_to_even(const float* in, int64_t size, Out* out) {
  for (int64_t i = 0; i < size; ++i) {
    out[i] = convert_to_even<Out>(in[i]);
  }
}

template <class Out>
void store_saturated(const float* in, int64_t size, Out* out) {
  for (int64_t i = 0; i < size; ++i) {
    out[i] = convert_saturated<Out>(in[i]);
  }
}

/// One line of `extent` pixels with `channels` elements each, as elements of another type.
template <class In, class To>
inline void load_line(const In* in, int64_t size, To* out) {
  for (int64_t i = 0; i < size; ++i) {
    out[i] = static_cast<To>(in[i]);
  }
}

/// Extends a line by `before` and `after` pixels; `out` holds before + extent + after of them.
template <class In, class To>
void extend_line(const In* in, int64_t extent, int64_t channels, int64_t before, int64_t after, Border border,
                 To fill, To* out) {
  load_line(in, extent * channels, out + before * channels);
  const auto outside = [&](int64_t at) {
    const int64_t from = border_place(border, at, extent);
    To* to = out + (before + at) * channels;
    for (int64_t c = 0; c < channels; ++c) {
      to[c] = from < 0 ? fill : static_cast<To>(in[from * channels + c]);
    }
  };
  for (int64_t at = -before; at < 0; ++at) {
    outside(at);
  }
  for (int64_t at = extent; at < extent + after; ++at) {
    outside(at);
  }
}

}  // namespace forebay::kernels
