// reductions.sum: the sum over axes.
#include "forebay/kernels/generic/fold.h"
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

/// The widest type of the same kind, as far as sums need it.
DType type_of_sum(DType in) {
  if (tensor::is_floating(in)) {
    return in == DType::kFloat64 ? in : DType::kFloat;
  }
  return tensor::is_signed(in) ? DType::kInt64 : DType::kUint64;
}

struct SumOverAxes : ReducedAxes {
  std::optional<DType> dtype;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const ReductionOf reduction, of(in));
    const DType type = dtype.value_or(type_of_sum(in.dtype()));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {reduction.out, type, reduction.layout}));
    return kernels::sum_over(in.view(), ReductionOf::with_axes(out, reduction.kept));
  }
};

}  // namespace

OperatorSpec reductions_sum() {
  return describe<SumOverAxes>("reductions.sum", "The sum over axes.")
      .group(add_reduced_axes<SumOverAxes>)
      .param("dtype", &SumOverAxes::dtype,
             "Type of the output, to which the sum saturates; without it UINT64, INT64 or FLOAT, whichever "
             "is of "
             "the input's kind, and FLOAT64 for FLOAT64.")
      .outputs("One number for each place that is left. Integers are added exactly.")
      .matches("DALI reductions.sum")
      .build();
}

}  // namespace forebay::operators
