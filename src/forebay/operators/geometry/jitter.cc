// jitter: each pixel from a place near its own.
#include <algorithm>

#include "forebay/operators/geometry/displacement.h"

namespace forebay::operators {
namespace {

struct Jitter : DisplacementArguments {
  int64_t degree = 2;

  Status prepare(const Arguments& arguments) const {
    if (degree < 1 || degree > UINT16_MAX) {
      return invalid_argument("nDegree is {}; it is from 1 to {}", degree, UINT16_MAX);
    }
    return DisplacementArguments::prepare(arguments);
  }

  Status run(Sample& sample) const {
    return displace(
        sample, [&](const Shape& image, int64_t frame, int64_t y, std::span<float> xs, std::span<float> ys) {
          // A stream for each row of a frame: frames are worked on in any order.
          RandomStream stream = sample.random(static_cast<uint32_t>(frame * image[0] + y));
          const auto near = [&](int64_t at, int64_t extent) {
            const int64_t moved =
                at + static_cast<int64_t>(stream.below(static_cast<uint64_t>(degree))) - degree / 2;
            return static_cast<float>(std::clamp<int64_t>(moved, 0, extent - 1));
          };
          for (size_t x = 0; x < xs.size(); ++x) {
            xs[x] = near(static_cast<int64_t>(x), image[1]);
            ys[x] = near(y, image[0]);
          }
        });
  }
};

}  // namespace

OperatorSpec jitter() {
  return describe<Jitter>("jitter", "Takes each pixel from a random place near its own.")
      .input("data", "Images or sequences, HWC, of UINT8, UINT16, INT16, INT32 or FLOAT.")
      .param("nDegree", &Jitter::degree,
             "How many places there are along each axis, around the pixel's own, all equally likely.")
      .group(add_displacement_arguments<Jitter>)
      .outputs("The image; places beyond its border are taken to lie on it.")
      .matches("DALI jitter; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
