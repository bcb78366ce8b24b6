// reductions.mean_square: the mean of squares.
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct MeanSquareOverAxes : ReducedAxes {
  DType dtype = DType::kFloat;

  Status run(Sample& sample) const {
    const float zero = 0;
    return reduce_squares(sample, dtype, {&zero, 1}, 0, [](double mean) { return mean; });
  }
};

}  // namespace

OperatorSpec reductions_mean_square() {
  return describe<MeanSquareOverAxes>("reductions.mean_square", "The mean of the squares over axes.")
      .group(add_reduced_axes<MeanSquareOverAxes>)
      .param("dtype", &MeanSquareOverAxes::dtype, "Type of the output; integers are rounded and saturated.")
      .outputs("One number for each place that is left.")
      .matches("DALI reductions.mean_square")
      .build();
}

}  // namespace forebay::operators
