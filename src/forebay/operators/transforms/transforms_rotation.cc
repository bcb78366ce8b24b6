// transforms.rotation: the matrix of a rotation in the plane, or about an axis in space.
#include "forebay/kernels/image/rotation.h"
#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

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
      const float radians = kernels::radians(angles.at(frame)[0]);
      AffineMatrix matrix = dimensions == 2 ? kernels::rotation_in_plane(radians)
                                            : kernels::rotation_about(axes.at(frame), radians,
                                                                      kernels::RotationDiagonal::kCosine);
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
