#include "forebay/operators/reductions/reduced_axes.h"

#include <algorithm>
#include <numeric>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/generic/normalize.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {

Status ReducedAxes::prepare(const Arguments&) const {
  if (axes && axis_names) {
    return invalid_argument("give the axes either as `axes` or as `axis_names`");
  }
  return ok_status();
}

Result<ReductionOf> ReducedAxes::of(const Tensor& in) const {
  const Shape& shape = in.shape();
  ReductionOf reduction;
  if (axis_names) {
    FOREBAY_ASSIGN_OR_RETURN(reduction.axes, named_axes(axis_names->names, in.layout()));
  } else if (axes) {
    FOREBAY_ASSIGN_OR_RETURN(reduction.axes, resolved_axes(*axes, shape.rank()));
  } else {
    reduction.axes.resize(static_cast<size_t>(shape.rank()));
    std::iota(reduction.axes.begin(), reduction.axes.end(), 0);
  }
  reduction.kept = kernels::reduced_shape(shape, reduction.axes);
  for (const int axis : reduction.axes) {
    reduction.elements *= shape[axis];
  }
  reduction.layout = keep_dims ? in.layout() : layout_without(in.layout(), reduction.axes);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (keep_dims || std::ranges::find(reduction.axes, axis) == reduction.axes.end()) {
      reduction.out.push_back(reduction.kept[axis]);
    }
  }
  return reduction;
}

Status ReducedAxes::put(Sample& sample, const ReductionOf& reduction, DType dtype,
                        std::span<const double> sums, const std::function<double(double)>& result_of) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                           sample.output(0, {reduction.out, dtype, reduction.layout}));
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::ranges::transform(sums, out.as<T>(),
                           [&](double sum) { return kernels::convert_saturated<T>(result_of(sum)); });
  });
  return ok_status();
}

Status ReducedAxes::reduce_squares(Sample& sample, DType dtype, std::span<const float> centres, int64_t ddof,
                                   double (*result_of)(double)) const {
  FOREBAY_ASSIGN_OR_RETURN(const ReductionOf reduction, of(sample.input(0)));
  memory::ScratchVector<double> sums(static_cast<size_t>(reduction.kept.volume()));
  if (centres.size() != 1 && centres.size() != sums.size()) {
    return invalid_argument("{} means are given for {} outputs", centres.size(), sums.size());
  }
  FOREBAY_RETURN_IF_ERROR(
      kernels::add_squared_deviations(sample.input(0).view(), reduction.axes, centres, sums));
  const auto divisor = static_cast<double>(reduction.elements - ddof);
  return put(sample, reduction, dtype, sums, [&](double sum) { return result_of(sum / divisor); });
}

}  // namespace forebay::operators
