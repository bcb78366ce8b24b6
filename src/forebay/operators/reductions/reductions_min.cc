// reductions.min: the smallest element.
#include "forebay/kernels/generic/fold.h"
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct LeastOverAxes : ReducedAxes {
  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const ReductionOf reduction, of(in));
    if (reduction.elements == 0) {
      return invalid_argument("there is no smallest of no elements: the input is {}", in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {reduction.out, in.dtype(), reduction.layout}));
    return kernels::extreme_over(in.view(), false, ReductionOf::with_axes(out, reduction.kept));
  }
};

}  // namespace

OperatorSpec reductions_min() {
  return describe<LeastOverAxes>("reductions.min", "The smallest element over axes.")
      .group(add_reduced_axes<LeastOverAxes>)
      .outputs("Elements of the input's type; NaN is passed over.")
      .matches("DALI reductions.min")
      .build();
}

}  // namespace forebay::operators
