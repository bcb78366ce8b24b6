// reductions.variance: the variance about a mean.
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct VarianceOverAxes : ReducedAxes {
  int64_t ddof = 0;

  Status run(Sample& sample) const {
    memory::ScratchVector<float> means(static_cast<size_t>(sample.input(1).volume()));
    FOREBAY_RETURN_IF_ERROR(copy_floats(sample.input(1), means));
    return reduce_squares(sample, DType::kFloat, means, ddof, [](double variance) { return variance; });
  }
};

}  // namespace

OperatorSpec reductions_variance() {
  return describe<VarianceOverAxes>("reductions.variance", "The variance over axes about a given mean.")
      .group(add_deviation<VarianceOverAxes>)
      .outputs("The squared distances from the mean, added up and divided by their number less `ddof`.")
      .matches("DALI reductions.variance")
      .build();
}

}  // namespace forebay::operators
