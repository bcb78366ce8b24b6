// sphere: an image as if on a ball.
#include <algorithm>
#include <cmath>

#include "forebay/operators/geometry/displacement.h"

namespace forebay::operators {
namespace {

struct Sphere : DisplacementArguments {
  Status run(Sample& sample) const {
    return displace(sample,
                    [](const Shape& image, int64_t, int64_t y, std::span<float> xs, std::span<float> ys) {
                      const float middle_x = static_cast<float>(image[1]) * 0.5f;
                      const float middle_y = static_cast<float>(image[0]) * 0.5f;
                      const float radius = std::trunc(std::max(middle_x, middle_y));
                      const float down = static_cast<float>(y) + 0.5f - middle_y;
                      for (size_t x = 0; x < xs.size(); ++x) {
                        const float right = static_cast<float>(x) + 0.5f - middle_x;
                        const float distance = std::sqrt(right * right + down * down) / radius;
                        xs[x] = middle_x + distance * right - 0.5f;
                        ys[x] = middle_y + distance * down - 0.5f;
                      }
                    });
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
