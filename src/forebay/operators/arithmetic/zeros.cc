// zeros: a tensor of zeros.
#include "forebay/operators/arithmetic/filled.h"

namespace forebay::operators {
namespace {

struct Zeros : FilledShape {
  DType dtype = DType::kInt32;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec made, spec(sample, dtype));
    return fill_with(sample, made, 0);
  }
};

}  // namespace

OperatorSpec zeros() {
  return describe<Zeros>("zeros", "Gives a tensor of zeros.")
      .group(add_filled_shape<Zeros>)
      .param("dtype", &Zeros::dtype, "Type of the output.")
      .outputs("The tensor.")
      .matches("DALI zeros")
      .build();
}

}  // namespace forebay::operators
