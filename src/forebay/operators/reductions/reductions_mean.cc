// reductions.mean: the mean over axes.
#include "forebay/kernels/generic/normalize.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct MeanOverAxes : ReducedAxes {
  DType dtype = DType::kFloat;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const ReductionOf reduction, of(sample.input(0)));
    memory::ScratchVector<double> sums(static_cast<size_t>(reduction.kept.volume()));
    FOREBAY_RETURN_IF_ERROR(kernels::add_sums(sample.input(0).view(), reduction.axes, sums));
    const auto count = static_cast<double>(reduction.elements);
    return put(sample, reduction, dtype, sums, [&](double sum) { return sum / count; });
  }
};

}  // namespace

OperatorSpec reductions_mean() {
  return describe<MeanOverAxes>("reductions.mean", "The mean over axes.")
      .group(add_reduced_axes<MeanOverAxes>)
      .param("dtype", &MeanOverAxes::dtype, "Type of the output; integers are rounded and saturated.")
      .outputs("One number for each place that is left; NaN where nothing is averaged.")
      .matches("DALI reductions.mean")
      .build();
}

}  // namespace forebay::operators
