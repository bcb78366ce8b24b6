#include "forebay/operators/shape/join.h"

namespace forebay::operators {

Status check_alike(const Sample& sample) {
  const Tensor& first = sample.input(0);
  for (int i = 1; i < sample.num_inputs(); ++i) {
    const Tensor& other = sample.input(i);
    if (other.dtype() != first.dtype() || other.shape().rank() != first.shape().rank()) {
      return invalid_argument(
          "input 0 is {} and input {} {}; the type and the number of dimensions must be equal",
          first.spec().to_string(), i, other.spec().to_string());
    }
  }
  return ok_status();
}

Layout first_layout(const Sample& sample) {
  for (int i = 0; i < sample.num_inputs(); ++i) {
    if (!sample.input(i).layout().empty()) {
      return sample.input(i).layout();
    }
  }
  return {};
}

std::vector<TensorView> input_views(const Sample& sample) {
  std::vector<TensorView> views;
  for (int i = 0; i < sample.num_inputs(); ++i) {
    views.push_back(sample.input(i).view());
  }
  return views;
}

Status check_join_axis(const std::optional<std::string>& axis_name, const Arguments& arguments) {
  if (!axis_name) {
    return ok_status();
  }
  if (axis_name->size() != 1) {
    return invalid_argument("axis_name must be one letter, not '{}'", *axis_name);
  }
  if (arguments.constants.contains("axis")) {
    return invalid_argument("give the axis either by `axis` or by `axis_name`");
  }
  return ok_status();
}

}  // namespace forebay::operators
