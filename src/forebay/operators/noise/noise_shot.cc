// noise.shot: the noise of counted photons.
#include <algorithm>

#include "forebay/kernels/random/distributions.h"
#include "forebay/operators/noise/each_element.h"

namespace forebay::operators {
namespace {

constexpr double kLargestMean = 1e15;  // numbers are counted exactly up to here

struct ShotNoise {
  Arg<float> factor = 20.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const double photon, factor.get(sample));
    if (!(photon >= 0)) {
      return invalid_argument("factor is {}; what a photon adds cannot be negative", photon);
    }
    return draw_each_element(sample, [&](RandomStream& stream, double value) {
      if (!(value > 0) || photon == 0) {
        return 0.0;
      }
      const double photons = std::min(value / photon, kLargestMean);
      return photon * kernels::draw(kernels::Distribution::kPoisson, stream, photons, 0);
    });
  }
};

}  // namespace

OperatorSpec noise_shot() {
  return describe<ShotNoise>("noise.shot", "Adds the noise of counted photons.")
      .input("data", "Any tensor.")
      .param("factor", &ShotNoise::factor, "What a photon adds to an element. With 0 all elements become 0.")
      .outputs(
          "The same shape and type: for each element a Poisson number of that mean, in units of the factor, "
          "saturated; 0 where it is not positive. Equal on all targets but for the C library's exponentials.")
      .matches("DALI noise.shot; other numbers, the same distribution")
      .random()
      .close()
      .build();
}

}  // namespace forebay::operators
