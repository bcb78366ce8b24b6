// random.coin_flip: 1 with a given probability, else 0.
#include "forebay/operators/random/random_output.h"

namespace forebay::operators {
namespace {

struct RandomCoinFlip : RandomOutput {
  Arg<float> probability = 0.5f;

  Status prepare(const Arguments& arguments) { return check(arguments, 0); }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Shape out_shape, output_shape(sample, 0));
    FOREBAY_ASSIGN_OR_RETURN(const float chance, probability.get(sample));
    return fill_random(sample, out_shape, dtype.value_or(DType::kInt32),
                       [&](RandomStream& stream) { return stream.coin(chance) ? 1.0 : 0.0; });
  }
};

}  // namespace

OperatorSpec random_coin_flip() {
  return describe<RandomCoinFlip>("random.coin_flip", "Draws 1 with a given probability, else 0.")
      .optional_input("shape_like", "A tensor whose shape the output gets; its content is not read.")
      .param("probability", &RandomCoinFlip::probability, "How likely a 1 is.")
      .group(add_random_output<RandomCoinFlip>)
      .outputs("Zeros and ones; int32 unless `dtype` says otherwise.")
      .matches("DALI random.coin_flip; other numbers, the same distribution")
      .build();
}

}  // namespace forebay::operators
