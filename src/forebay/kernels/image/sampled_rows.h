// Pixels of three bytes sampled linearly at any places, in SIMD: the inner loops of remap.h and warp.h, with
// their bits.
#pragma once

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"

namespace forebay::kernels {

/// Dense, three bytes a pixel.
struct SampledImage {
  const uint8_t* data;
  int64_t height;
  int64_t width;
};

/// Makes the pixel of that number, whose neighbours do not all lie inside, or which is the last of its row.
using SampleAlone = absl::FunctionRef<void(int64_t number, uint8_t* out)>;

/// A row of the output: pixel i is what lies at (xs[i], ys[i]), where whole numbers are centres of pixels. As
/// remap() blends, by differences, and rounds.
void remap_linear_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
                      bool halves_away, SampleAlone alone, uint8_t* out);

/// As warp() does, along x by two weights and along y by the difference, halves away from zero.
void warp_linear_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
                     SampleAlone alone, uint8_t* out);

}  // namespace forebay::kernels
