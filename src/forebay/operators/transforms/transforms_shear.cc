// transforms.shear: the matrix of a shear.
#include <cmath>

#include "forebay/kernels/image/rotation.h"
#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

/// Row by row, the elements beside the diagonal.
AffineMatrix sheared(int dimensions, std::span<const float> factors, bool are_angles) {
  AffineMatrix matrix(dimensions);
  size_t next = 0;
  for (int i = 0; i < dimensions; ++i) {
    for (int j = 0; j < dimensions; ++j) {
      if (i != j) {
        const float factor = factors[next++];
        matrix.at(i, j) = are_angles ? std::tan(kernels::radians(factor)) : factor;
      }
    }
  }
  return matrix;
}

struct Shear : Transform {
  Arg<std::vector<float>> shear;
  Arg<std::vector<float>> angles;
  Arg<std::vector<float>> center;

  Status prepare(const Arguments&) const {
    if (shear.is_given() == angles.is_given()) {
      return invalid_argument("give the shear either as `shear` or as `angles`");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const bool are_angles = angles.is_given();
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats factors, FrameFloats::of(sample, are_angles ? angles : shear));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats centers, FrameFloats::of(sample, center));
    if (factors.size() != 2 && factors.size() != 6) {
      return invalid_argument("a shear has 2 numbers in the plane and 6 in space; {} are given",
                              factors.size());
    }
    const int dimensions = factors.size() == 2 ? 2 : 3;
    FOREBAY_RETURN_IF_ERROR(check_size("center", centers, dimensions, true, true));
    for (int64_t frame = 0; frame < factors.frames() && are_angles; ++frame) {
      for (const float degrees : factors.at(frame)) {
        if (!(degrees >= -90 && degrees <= 90)) {
          return invalid_argument("an angle of {} degrees; a shear has -90 to 90", degrees);
        }
      }
    }
    return put(sample, dimensions, {&factors, &centers}, [&](int64_t frame) {
      AffineMatrix matrix = sheared(dimensions, factors.at(frame), are_angles);
      matrix.keep(centers.at(frame));
      return matrix;
    });
  }
};

}  // namespace

OperatorSpec transforms_shear() {
  return describe<Shear>("transforms.shear", "The matrix of a shear.")
      .group(add_transform_input<Shear>)
      .param("shear", &Shear::shear,
             "The factors x and y, or xy, xz, yx, yz, zx, zy: how far the first axis moves along the second. "
             "May change by frames.")
      .param("angles", &Shear::angles, "The same as angles, in degrees from -90 to 90.")
      .param("center", &Shear::center, "The point that stays; the origin without it. May change by frames.")
      .matches("DALI transforms.shear; equal on all targets but for the last bit of the C library's tangent")
      .close()
      .build();
}

}  // namespace forebay::operators
