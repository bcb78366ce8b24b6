// reductions.max: the largest element.
#include "forebay/kernels/generic/fold.h"
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct LargestOverAxes : ReducedAxes {
  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const ReductionOf reduction, of(in));
    if (reduction.elements == 0) {
      return invalid_argument("there is no largest of no elements: the input is {}", in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {reduction.out, in.dtype(), reduction.layout}));
    return kernels::extreme_over(in.view(), true, ReductionOf::with_axes(out, reduction.kept));
  }
};

}  // namespace

OperatorSpec reductions_max() {
  return describe<LargestOverAxes>("reductions.max", "The largest element over axes.")
      .group(add_reduced_axes<LargestOverAxes>)
      .outputs("Elements of the input's type; NaN is passed over.")
      .matches("DALI reductions.max")
      .build();
}

}  // namespace forebay::operators
