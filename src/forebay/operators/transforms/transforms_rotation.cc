// transforms.rotation: the matrix of a rotation in the plane, or about an axis in space.
#include <cmath>
#include <numbers>

#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

AffineMatrix turned_in_plane(float radians) {
  AffineMatrix matrix(2);
  matrix.at(0, 0) = matrix.at(1, 1) = std::cos(radians);
  matrix.at(1, 0) = std::sin(radians);
  matrix.at(0, 1) = -matrix.at(1, 0);
  return matrix;
}

// Rodrigues' formula.
AffineMatrix turned_about(std::span<const float> axis, float radians) {
  AffineMatrix matrix(3);
  const float length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const std::array<float, 3> u{axis[0] / length, axis[1] / length, axis[2] / length};
  const float cosine = std::cos(radians);
  const float sine = std::sin(radians);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      matrix.at(i, j) = u[i] * u[j] * (1 - cosine);
      if (i == j) {
        matrix.at(i, j) += cosine;
      } else {
        const float side = u[3 - i - j] * sine;
        matrix.at(i, j) += (j + 1) % 3 == i ? side : -side;
      }
    }
  }
  return matrix;
}

struct Rotation : Transform {
  Arg<float> angle;
  Arg<std::vector<float>> axis;
  Arg<std::vector<float>> center;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats angles, FrameFloats::of(sample, angle));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats axes, FrameFloats::of(sample, axis));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats centers, FrameFloats::of(sample, center));
    const int dimensions = axes.size() == 0 ? 2 : 3;
    FOREBAY_RETURN_IF_ERROR(check_size("angle", angles, 1, false, false));
    FOREBAY_RETURN_IF_ERROR(check_size("axis", axes, 3, false, true));
    FOREBAY_RETURN_IF_ERROR(check_size("center", centers, dimensions, true, true));
    for (int64_t frame = 0; frame < axes.frames() && dimensions == 3; ++frame) {
      const std::span<const float> u = axes.at(frame);
      if (u[0] == 0 && u[1] == 0 && u[2] == 0) {
        return invalid_argument("an axis of length 0 has no direction to turn about");
      }
    }
    return put(sample, dimensions, {&angles, &axes, &centers}, [&](int64_t frame) {
      const float radians = angles.at(frame)[0] * (std::numbers::pi_v<float> / 180);
      AffineMatrix matrix =
          dimensions == 2 ? turned_in_plane(radians) : turned_about(axes.at(frame), radians);
      matrix.keep(centers.at(frame));
      return matrix;
    });
  }
};

}  // namespace

OperatorSpec transforms_rotation() {
  return describe<Rotation>("transforms.rotation", "The matrix of a rotation.")
      .group(add_transform_input<Rotation>)
      .param("angle", &Rotation::angle,
             "In degrees; positive angles turn the x axis towards the y axis. May change by frames.")
      .required()
      .param("axis", &Rotation::axis,
             "The axis to turn about, in space; without it the plane is turned. May change by frames.")
      .param("center", &Rotation::center,
             "The point that stays; the origin without it. May change by frames.")
      .matches(
          "DALI transforms.rotation; equal on all targets but for the last bit of the C library's sine and "
          "cosine")
      .close()
      .build();
}

}  // namespace forebay::operators
