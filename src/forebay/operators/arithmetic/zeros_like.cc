// zeros_like: a tensor of zeros in the shape of another.
#include "forebay/operators/arithmetic/filled.h"

namespace forebay::operators {
namespace {

struct ZerosLike {
  std::optional<DType> dtype;

  Status run(Sample& sample) const {
    TensorSpec like = sample.input(0).spec();
    like.dtype = dtype.value_or(like.dtype);
    return fill_with(sample, like, 0);
  }
};

}  // namespace

OperatorSpec zeros_like() {
  return describe<ZerosLike>("zeros_like", "Gives a tensor of zeros in the shape of another.")
      .input("data_like", "The tensor whose shape, type and layout are taken; its content is not read.")
      .param("dtype", &ZerosLike::dtype, "Type of the output; the input's without it.")
      .outputs("The tensor.")
      .matches("DALI zeros_like")
      .build();
}

}  // namespace forebay::operators
