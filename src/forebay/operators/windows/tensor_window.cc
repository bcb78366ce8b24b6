#include "forebay/operators/windows/tensor_window.h"

#include <algorithm>

#include "forebay/kernels/generic/cast.h"
#include "forebay/kernels/generic/slice.h"
#include "forebay/operators/border_names.h"

namespace forebay::operators {
namespace {

Status cut(const TensorView& in, const TensorWindow& window, const Outside& outside,
           const MutableTensorView& out) {
  const kernels::Border border = border_of(outside.policy);
  if (border != kernels::Border::kConstant && !lies_inside(window, in.shape())) {
    return kernels::slice_continued(in, window.anchors(), border, out);
  }
  return kernels::slice(in, window.anchors(), outside.fill, outside.channel_axis, out);
}

}  // namespace

bool lies_inside(const TensorWindow& window, const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t begin = window.anchor[axis];
    if (begin < 0 || begin > shape[axis] || window.shape[axis] > shape[axis] - begin) {
      return false;
    }
  }
  return true;
}

std::vector<std::string> crop_policies() {
  return {"error", "pad", "constant", "trim_to_shape"};
}

std::vector<std::string> slice_policies() {
  std::vector<std::string> policies = crop_policies();
  for (const char* name : {"edge", "clamp", "reflect", "reflect_1001", "reflect_101", "wrap"}) {
    policies.emplace_back(name);
  }
  return policies;
}

Result<TensorWindow> apply_policy(TensorWindow window, const Shape& shape, const std::string& policy) {
  if (policy != "error" && policy != "trim_to_shape") {
    return window;
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t& begin = window.anchor[axis];
    int64_t& extent = window.shape[axis];
    const bool is_inside = begin >= 0 && begin <= shape[axis] && extent <= shape[axis] - begin;
    if (is_inside) {
      continue;
    }
    if (policy == "error") {
      return out_of_range(
          "the window [{}, {}) of axis {} is out of bounds: it extends outside the input of shape {}; "
          "out_of_bounds_policy=\"pad\" or \"trim_to_shape\" allows that where the operator has that "
          "argument",
          begin, begin + extent, axis, shape.to_string());
    }
    const int64_t end = std::clamp<int64_t>(begin + extent, 0, shape[axis]);
    begin = std::clamp<int64_t>(begin, 0, shape[axis]);
    extent = std::max<int64_t>(0, end - begin);
  }
  return window;
}

Status write_window(Sample& sample, const TensorWindow& window, DType dtype, const Layout& layout,
                    const Outside& outside) {
  const Tensor& in = sample.input(0);
  const TensorSpec spec{window.shape, dtype, layout};
  if (!window.shape.checked_volume()) {
    return invalid_argument("the window of shape {} is too large", window.shape.to_string());
  }
  FOREBAY_RETURN_IF_ERROR(outside.fill.check("fill_values", spec, outside.channel_axis));
  const bool is_whole = window.shape == in.shape() && lies_inside(window, in.shape());
  if (is_whole && dtype == in.dtype()) {
    FOREBAY_ASSIGN_OR_RETURN(Tensor same, in.reinterpreted(spec));
    sample.forward(0, std::move(same));
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  if (dtype == in.dtype()) {
    return cut(in.view(), window, outside, out);
  }
  TensorSpec unconverted = spec;
  unconverted.dtype = in.dtype();
  FOREBAY_ASSIGN_OR_RETURN(const MutableBytes memory, sample.scratch(unconverted.size_bytes()));
  const MutableTensorView copy{memory.data(), unconverted};
  FOREBAY_RETURN_IF_ERROR(cut(in.view(), window, outside, copy));
  return kernels::cast(copy, out);
}

}  // namespace forebay::operators
