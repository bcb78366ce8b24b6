#include "forebay/ndarray/backward/backward.h"

#include <nanobind/stl/string.h>

#include "bindings/interpreter/bindings.h"
#include "bindings/ndarray/ndarray.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;
using ndarray::Arrays;
using ndarray::GradientMode;

GradientMode mode_of(const std::string& name) {
  if (name == "write") {
    return GradientMode::kWrite;
  }
  if (name == "add") {
    return GradientMode::kAdd;
  }
  if (name == "null") {
    return GradientMode::kNone;
  }
  throw nb::value_error("grad_req is 'write', 'add' or 'null'");
}

/// The gradients given for the heads: None stands for ones, for one head or for all of them.
Arrays head_gradients_of(nb::handle gradients) {
  Arrays arrays;
  if (gradients.is_none()) {
    return arrays;
  }
  for (const nb::handle gradient : gradients) {
    arrays.push_back(gradient.is_none() ? Array() : ndarray_of(gradient));
  }
  return arrays;
}

void mark(nb::handle array, nb::handle gradient, const std::string& grad_req) {
  const GradientMode mode = mode_of(grad_req);
  check(ndarray::mark_variable(ndarray_of(array),
                               mode == GradientMode::kNone ? Array() : ndarray_of(gradient), mode));
}

void run_backward(nb::handle heads, nb::handle head_gradients, bool retain_graph, bool train_mode) {
  check(ndarray::backward(arrays_of(heads), head_gradients_of(head_gradients),
                          {.retain_graph = retain_graph, .train = train_mode}));
}

nb::typed<nb::list, NdarrayObject> gradients(nb::handle heads, nb::handle variables,
                                             nb::handle head_gradients, bool retain_graph, bool create_graph,
                                             bool train_mode) {
  return wrapped_list(ndarray::gradients_of(
      arrays_of(heads), arrays_of(variables), head_gradients_of(head_gradients),
      {.retain_graph = retain_graph, .create_graph = create_graph, .train = train_mode}));
}

}  // namespace

void bind_autograd(nb::module_& module) {
  module.def("is_recording", &ndarray::is_recording);
  module.def("is_training", &ndarray::is_training);
  module.def("set_recording", &ndarray::set_recording, nb::arg("on"), "Of this thread; the value before.");
  module.def("set_training", &ndarray::set_training, nb::arg("on"), "Of this thread; the value before.");
  module.def("mark_variable", &mark, nb::arg("array"), nb::arg("gradient"), nb::arg("grad_req"));
  module.def("gradient_is_fresh", &ndarray::gradient_is_fresh, nb::arg("array"),
             "True when backward() has stored the array's gradient since it was last set false.");
  module.def("set_gradient_fresh", &ndarray::set_gradient_fresh, nb::arg("array"), nb::arg("is_fresh"));
  module.def("backward", &run_backward, nb::arg("heads"), nb::arg("head_gradients").none(),
             nb::arg("retain_graph"), nb::arg("train_mode"));
  module.def("gradients", &gradients, nb::arg("heads"), nb::arg("variables"),
             nb::arg("head_gradients").none(), nb::arg("retain_graph"), nb::arg("create_graph"),
             nb::arg("train_mode"));
}

}  // namespace forebay::bindings
