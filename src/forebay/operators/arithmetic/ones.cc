// ones: a tensor of ones.
#include "forebay/operators/arithmetic/filled.h"

namespace forebay::operators {
namespace {

struct Ones : FilledShape {
  DType dtype = DType::kInt32;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec made, spec(sample, dtype));
    return fill_with(sample, made, 1);
  }
};

}  // namespace

OperatorSpec ones() {
  return describe<Ones>("ones", "Gives a tensor of ones.")
      .group(add_filled_shape<Ones>)
      .param("dtype", &Ones::dtype, "Type of the output.")
      .outputs("The tensor.")
      .matches("DALI ones")
      .build();
}

}  // namespace forebay::operators
