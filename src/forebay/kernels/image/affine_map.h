// Affine maps between pixel coordinates: given, inverted, or of rotations, in two and three dimensions.
//
// A map takes output coordinates to input coordinates, both in pixels with centres at (i + 0.5). Coordinates
// are in the order x, y(, z).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// Row i: input coordinate i = sum_j matrix[i][j] * out[j] + matrix[i][n]. Other rows and columns are unused.
struct AffineMap {
  int dimensions = 2;  // 2 or 3
  std::array<std::array<float, 4>, 3> matrix{};
};

/// Turns an input-to-output map into an output-to-input map; invalid_argument if it is singular.
Result<AffineMap> inverted(const AffineMap& map);

/// The canvas (y, x or z, y, x) that holds an image of `size` (same order) rotated by one angle or more, one
/// after the other, with the parity that DALI's `rotate` chooses: that of most angles.
class RotatedCanvas {
 public:
  explicit RotatedCanvas(std::span<const int64_t> size);

  /// In degrees. `axis` (x, y, z) is for volumes; empty for images.
  void add(float angle_degrees, std::span<const float> axis);

  /// The image's own size as long as no angle was added.
  std::vector<int64_t> size() const;

 private:
  std::span<const int64_t> image_size_;
  std::array<int64_t, 3> extents_{};
  std::array<int64_t, 3> times_odd_{};
  int64_t angles_ = 0;
};

/// Maps output to input. Positive angles rotate counter-clockwise on the screen; volumes rotate about `axis`
/// (of any length; invalid_argument if it is 0).
Result<AffineMap> rotation_map(std::span<const int64_t> in_size, std::span<const int64_t> out_size,
                               float angle_degrees, std::span<const float> axis);

}  // namespace forebay::kernels
