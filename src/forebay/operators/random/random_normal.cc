// random.normal: Gaussian numbers.
#include "forebay/operators/random/random_output.h"

namespace forebay::operators {
namespace {

struct RandomNormal : RandomOutput {
  Arg<float> mean = 0.0f;
  Arg<float> stddev = 1.0f;

  Status prepare(const Arguments& arguments) { return check(arguments, 0); }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Shape out_shape, output_shape(sample, 0));
    FOREBAY_ASSIGN_OR_RETURN(const double centre, mean.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const double width, stddev.get(sample));
    return fill_random(sample, out_shape, dtype.value_or(DType::kFloat),
                       [&](RandomStream& stream) { return centre + width * stream.normal(); });
  }
};

}  // namespace

OperatorSpec random_normal() {
  return describe<RandomNormal>("random.normal", "Draws numbers of a normal distribution.")
      .optional_input("shape_like", "A tensor whose shape the output gets; its content is not read.")
      .param("mean", &RandomNormal::mean, "Mean of the distribution.")
      .param("stddev", &RandomNormal::stddev, "Standard deviation.")
      .group(add_random_output<RandomNormal>)
      .outputs(
          "The numbers; float unless `dtype` says otherwise. Equal on all targets but for the last bit of "
          "the "
          "C library's logarithm and cosine.")
      .matches("DALI random.normal; other numbers, the same distribution")
      .close()
      .build();
}

}  // namespace forebay::operators
