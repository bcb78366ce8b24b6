// reductions.std_dev: the standard deviation about a mean.
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct DeviationOverAxes : ReducedAxes {
  int64_t ddof = 0;

  Status run(Sample& sample) const {
    memory::ScratchVector<float> means(static_cast<size_t>(sample.input(1).volume()));
    FOREBAY_RETURN_IF_ERROR(copy_floats(sample.input(1), means));
    return reduce_squares(sample, DType::kFloat, means, ddof,
                          [](double variance) { return std::sqrt(variance); });
  }
};

}  // namespace

OperatorSpec reductions_std_dev() {
  return describe<DeviationOverAxes>("reductions.std_dev",
                                     "The standard deviation over axes about a given mean.")
      .group(add_deviation<DeviationOverAxes>)
      .outputs("The square root of what `reductions.variance` gives.")
      .matches("DALI reductions.std_dev")
      .build();
}

}  // namespace forebay::operators
