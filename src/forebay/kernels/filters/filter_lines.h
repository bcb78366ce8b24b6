// Lines of pixels as filters take them: extended beyond their ends as floats, and made into pixels again.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/generic/convert.h"

namespace forebay::kernels {

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
