// random.beta: numbers of a beta distribution, from two of a gamma distribution.
#include "forebay/kernels/random/distributions.h"
#include "forebay/operators/random/random_output.h"

namespace forebay::operators {
namespace {

struct RandomBeta : RandomOutput {
  Arg<float> alpha = 1.0f;
  Arg<float> beta = 1.0f;

  Status prepare(const Arguments& arguments) {
    if (dtype && *dtype != DType::kFloat && *dtype != DType::kFloat64) {
      return invalid_argument("dtype must be FLOAT or FLOAT64, not {}", tensor::name_of(*dtype));
    }
    return check(arguments, 0);
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Shape out_shape, output_shape(sample, 0));
    FOREBAY_ASSIGN_OR_RETURN(const double a, alpha.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const double b, beta.get(sample));
    if (!(a > 0 && b > 0)) {
      return invalid_argument("alpha and beta must be positive, not {} and {}", a, b);
    }
    return fill_random(sample, out_shape, dtype.value_or(DType::kFloat), [&](RandomStream& stream) {
      const double x = kernels::draw(kernels::Distribution::kGamma, stream, a, 1);
      const double y = kernels::draw(kernels::Distribution::kGamma, stream, b, 1);
      // Both vanish where alpha and beta are tiny: then nearly all of the distribution is at its ends.
      return x + y > 0 ? x / (x + y) : (stream.uniform_double() * (a + b) < a ? 1.0 : 0.0);
    });
  }
};

}  // namespace

OperatorSpec random_beta() {
  return describe<RandomBeta>("random.beta", "Draws numbers of a beta distribution.")
      .optional_input("shape_like", "A tensor whose shape the output gets; its content is not read.")
      .param("alpha", &RandomBeta::alpha, "The first parameter, positive.")
      .param("beta", &RandomBeta::beta, "The second parameter, positive.")
      .group(add_random_output<RandomBeta>)
      .outputs(
          "Numbers from 0 to 1; float unless `dtype` is FLOAT64. Equal on all targets but for the last bits "
          "of the "
          "C library's logarithm, power and cosine.")
      .matches("DALI random.beta; other numbers, the same distribution")
      .close()
      .build();
}

}  // namespace forebay::operators
