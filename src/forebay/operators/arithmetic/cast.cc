// cast: another element type.
#include "forebay/kernels/generic/cast.h"
#include "forebay/operators/arithmetic/cast_to.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status cast_to(Sample& sample, DType dtype) {
  const Tensor& in = sample.input(0);
  if (in.dtype() == dtype) {
    sample.forward(0, in);
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {in.shape(), dtype, in.layout()}));
  return kernels::cast(in.view(), out);
}

namespace {

struct Cast {
  DType dtype = DType::kNone;

  Status run(Sample& sample) const { return cast_to(sample, dtype); }
};

}  // namespace

OperatorSpec cast() {
  return describe<Cast>("cast", "Converts to another element type.")
      .input("data", "Any tensor.")
      .param("dtype", &Cast::dtype,
             "The type to convert to. Floats are rounded, halves away from zero; what the type "
             "cannot hold becomes its nearest value.")
      .required()
      .outputs("The same shape and layout; the input itself if it has that type already.")
      .matches("DALI cast")
      .build();
}

}  // namespace forebay::operators
