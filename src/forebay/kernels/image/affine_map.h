// Affine maps between pixel coordinates: given, inverted, and those of rotations, in two and three
// dimensions.
//
// A map takes output coordinates to input coordinates, both in pixels with centres at (i + 0.5); coordinates
// are in the order x, y(, z).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// Row i: input coordinate i = sum_j matrix[i][j] * out[j] + matrix[i][n]. Rows and columns beyond n are not
/// used.
struct AffineMap {
  int dimensions = 2;  // 2 or 3
  std::array<std::array<float, 4>, 3> matrix{};
};

/// An output-to-input map from an input-to-output one; invalid_argument when it cannot be inverted.
Result<AffineMap> inverted(const AffineMap& map);

/// The canvas (y, x or z, y, x) that holds an image of `size` (same order) turned by `angle` degrees, with
/// the parity of the input as DALI's `rotate` chooses it. `axis` (x, y, z) is for volumes; empty for images.
std::array<int64_t, 3> rotated_canvas(std::span<const int64_t> size, float angle_degrees,
                                      std::span<const float> axis);

/// Output to input. Positive angles turn counter-clockwise on the screen; for volumes, about `axis` (need not
/// be of length 1; invalid_argument when it is 0).
Result<AffineMap> rotation_map(std::span<const int64_t> in_size, std::span<const int64_t> out_size,
                               float angle_degrees, std::span<const float> axis);

}  // namespace forebay::kernels
