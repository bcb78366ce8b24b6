// shapes: a tensor's extents as data.
#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Shapes {
  DType dtype = DType::kInt64;

  Status run(Sample& sample) const {
    const Shape& shape = sample.input(0).shape();
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {Shape{shape.rank()}, dtype, {}}));
    tensor::visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        out.as<T>()[axis] = kernels::convert_saturated<T>(shape[axis]);
      }
    });
    return ok_status();
  }
};

}  // namespace

OperatorSpec shapes() {
  return describe<Shapes>("shapes", "Gives the extents of a tensor as data.")
      .input("data", "Any tensor; its content is not read.")
      .param("dtype", &Shapes::dtype, "Type of the output.")
      .old_name("type", &Shapes::dtype)
      .outputs("One number an axis, outermost first.")
      .matches("DALI shapes")
      .build();
}

}  // namespace forebay::operators
