// reductions.rms: the root of the mean of squares.
#include "forebay/operators/reductions/reduced_axes.h"

namespace forebay::operators {
namespace {

struct RootMeanSquareOverAxes : ReducedAxes {
  DType dtype = DType::kFloat;

  Status run(Sample& sample) const {
    const float zero = 0;
    return reduce_squares(sample, dtype, {&zero, 1}, 0, [](double mean) { return std::sqrt(mean); });
  }
};

}  // namespace

OperatorSpec reductions_rms() {
  return describe<RootMeanSquareOverAxes>("reductions.rms", "The root of the mean of the squares over axes.")
      .group(add_reduced_axes<RootMeanSquareOverAxes>)
      .param("dtype", &RootMeanSquareOverAxes::dtype,
             "Type of the output; integers are rounded and saturated.")
      .outputs("One number for each place that is left.")
      .matches("DALI reductions.rms")
      .build();
}

}  // namespace forebay::operators
