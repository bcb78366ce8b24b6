// sphere: an image as if on a ball.
#include "forebay/kernels/image/map_rows.h"
#include "forebay/operators/geometry/displacement.h"

namespace forebay::operators {
namespace {

struct Sphere : DisplacementArguments {
  Status run(Sample& sample) const {
    return displace(sample, [](const Shape& image, int64_t, int64_t y, std::span<float> xs,
                               std::span<float> ys) { kernels::sphere_row(image[0], image[1], y, xs, ys); });
  }
};

}  // namespace

OperatorSpec sphere() {
  return describe<Sphere>("sphere", "Bends images as around a ball.")
      .input("data", "Images or sequences, HWC, of UINT8, UINT16, INT16, INT32 or FLOAT.")
      .group(add_displacement_arguments<Sphere>)
      .outputs("The image; its corners come from outside.")
      .matches("DALI sphere")
      .build();
}

}  // namespace forebay::operators
