// noise.gaussian: a normal number added to each element.
#include "forebay/operators/noise/each_element.h"

namespace forebay::operators {
namespace {

struct GaussianNoise {
  Arg<float> mean = 0.0f;
  Arg<float> stddev = 1.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const double centre, mean.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const double width, stddev.get(sample));
    return draw_each_element(
        sample, [&](RandomStream& stream, double value) { return value + centre + width * stream.normal(); });
  }
};

}  // namespace

OperatorSpec noise_gaussian() {
  return describe<GaussianNoise>("noise.gaussian", "Adds a normally distributed number to each element.")
      .input("data", "Any tensor.")
      .param("mean", &GaussianNoise::mean, "Mean of what is added.")
      .param("stddev", &GaussianNoise::stddev, "Its standard deviation.")
      .outputs(
          "The same shape and type, rounded and saturated. Equal on all targets but for the last bit of the "
          "C "
          "library's logarithm and cosine.")
      .matches("DALI noise.gaussian; other numbers, the same distribution")
      .random()
      .close()
      .build();
}

}  // namespace forebay::operators
