// ones_like: a tensor of ones in the shape of another.
#include "forebay/operators/arithmetic/filled.h"

namespace forebay::operators {
namespace {

struct OnesLike {
  std::optional<DType> dtype;

  Status run(Sample& sample) const {
    TensorSpec like = sample.input(0).spec();
    like.dtype = dtype.value_or(like.dtype);
    return fill_with(sample, like, 1);
  }
};

}  // namespace

OperatorSpec ones_like() {
  return describe<OnesLike>("ones_like", "Gives a tensor of ones in the shape of another.")
      .input("data_like", "The tensor whose shape, type and layout are taken; its content is not read.")
      .param("dtype", &OnesLike::dtype, "Type of the output; the input's without it.")
      .outputs("The tensor.")
      .matches("DALI ones_like")
      .build();
}

}  // namespace forebay::operators
