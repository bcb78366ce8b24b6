// Rotations in the plane and in space: their matrices, those about the centres of images and volumes, and the
// canvas that such an image needs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/kernels/image/affine_matrix.h"

namespace forebay::kernels {

float radians(float degrees);

/// Turns the x axis towards the y axis.
AffineMatrix rotation_in_plane(float radians);

/// How the diagonal of a rotation in space is rounded: two forms of the same numbers.
enum class RotationDiagonal : uint8_t {
  kSquares,  // u_i^2 + (u_j^2 + u_k^2) cos, as DALI's rotate has it
  kCosine,   // u_i^2 (1 - cos) + cos, as its transforms.rotation
};

/// About an axis (x, y, z) of any length but 0, by Rodrigues' formula.
AffineMatrix rotation_about(std::span<const float> axis, float radians, RotationDiagonal diagonal);

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

/// From pixels of the output to those of the input, in the order x, y(, z), with centres at (i + 0.5).
/// Positive angles rotate counter-clockwise on the screen; volumes rotate about `axis` (of any length;
/// invalid_argument if it is 0).
Result<AffineMatrix> rotation_map(std::span<const int64_t> in_size, std::span<const int64_t> out_size,
                                  float angle_degrees, std::span<const float> axis);

}  // namespace forebay::kernels
