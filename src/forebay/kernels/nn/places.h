// Iterates over places in three dimensions, in row-major order.
#pragma once

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

}  // namespace forebay::kernels
