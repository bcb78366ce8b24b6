// Iterates over places in three dimensions, in row-major order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/kernels/nn/convolution.h"

namespace forebay::kernels {

inline int64_t volume(const Extents& extents) {
  return extents[0] * extents[1] * extents[2];
}

inline int64_t place(const Extents& at, const Extents& extents) {
  return (at[0] * extents[1] + at[1]) * extents[2] + at[2];
}

/// Calls body(at) for all places, the last dimension fastest.
template <class Body>
void for_each_place(const Extents& extents, Body&& body) {
  for (int64_t z = 0; z < extents[0]; ++z) {
    for (int64_t y = 0; y < extents[1]; ++y) {
      for (int64_t x = 0; x < extents[2]; ++x) {
        body(Extents{z, y, x});
      }
    }
  }
}

/// The places i in [0, count) for which first + i * step is in [0, extent).
struct ValidPlaces {
  int64_t first;
  int64_t last;
};
inline ValidPlaces valid_places(int64_t first, int64_t step, int64_t extent, int64_t count) {
  const int64_t begin = first >= 0 ? 0 : (-first + step - 1) / step;
  const int64_t end = extent <= first ? 0 : (extent - first + step - 1) / step;
  return {std::min(begin, count), std::clamp(end, std::min(begin, count), count)};
}

}  // namespace forebay::kernels
