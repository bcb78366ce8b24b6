#include "forebay/ndarray/autograd.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/node.h"

namespace forebay::ndarray {
namespace {

thread_local bool recording = false;
thread_local bool training = false;

bool has_history(const Array& array) {
  return array.node() != nullptr;
}

bool is_leaf(const Array& array) {
  return has_history(array) && array.node()->operation == nullptr;
}

/// An input without its memory, for operations whose gradient does not need it.
Array history_only(const Array& input) {
  Array history;
  history.set_node(input.node(), input.node_output());
  return history;
}

}  // namespace

// Chains of nodes can be as long as a training run: they are destroyed iteratively, not recursively.
Node::~Node() {
  std::vector<std::shared_ptr<Node>> dropped;
  const auto take_inputs = [&dropped](Node& node) {
    for (Array& input : node.inputs) {
      if (input.node() != nullptr) {
        dropped.push_back(input.node());
        input.set_node(nullptr, 0);
      }
    }
  };
  take_inputs(*this);
  while (!dropped.empty()) {
    const std::shared_ptr<Node> node = std::move(dropped.back());
    dropped.pop_back();
    if (node.use_count() == 1) {
      take_inputs(*node);
    }
  }
}

bool is_recording() {
  return recording;
}
bool is_training() {
  return training;
}
bool set_recording(bool on) {
  return std::exchange(recording, on);
}
bool set_training(bool on) {
  return std::exchange(training, on);
}

Status mark_variable(Array& array, const Array& gradient, GradientMode mode) {
  if (!array.is_valid()) {
    return invalid_argument("no array to take a gradient of");
  }
  if (mode == GradientMode::kNone) {
    array.set_node(nullptr, 0);
    return ok_status();
  }
  if (!gradient.is_valid() || !(gradient.spec() == array.spec())) {
    return invalid_argument("the gradient of {} is {}", array.spec().to_string(),
                            gradient.is_valid() ? gradient.spec().to_string() : "no array");
  }
  auto leaf = std::make_shared<Node>();
  leaf->gradient = gradient.detached();
  leaf->mode = mode;
  leaf->output_specs.push_back(array.spec());
  array.set_node(std::move(leaf), 0);
  return ok_status();
}

Array gradient_of(const Array& array) {
  return is_leaf(array) ? array.node()->gradient : Array();
}

bool gradient_is_fresh(const Array& array) {
  return is_leaf(array) && array.node()->is_fresh;
}

void set_gradient_fresh(const Array& array, bool is_fresh) {
  if (is_leaf(array)) {
    array.node()->is_fresh = is_fresh;
  }
}

bool leads_to_leaf(const Array& array) {
  return has_history(array) && array.node()->leads_to_leaf;
}

void record(OperationRef operation, std::span<const Array> inputs, absl::Span<Array> outputs) {
  if (!recording || std::ranges::none_of(inputs, has_history)) {
    return;
  }
  auto node = std::make_shared<Node>();
  Places wanted = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (leads_to_leaf(inputs[i])) {
      wanted.add(i);
    }
  }
  node->leads_to_leaf = wanted.has_any() && !operation->is_step();
  const Keeps keeps =
      node->leads_to_leaf ? operation->keeps(wanted) : Keeps{.inputs = false, .outputs = false};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_kept = keeps.inputs.has(i);
    node->inputs.push_back(is_kept ? inputs[i] : history_only(inputs[i]));
    node->input_writes.push_back(is_kept ? inputs[i].region().writes_before_saving() : 0);
    node->input_specs.push_back(inputs[i].spec());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool is_kept = keeps.outputs.has(i);
    node->outputs.push_back(is_kept ? outputs[i].region() : Region());
    node->output_writes.push_back(is_kept ? outputs[i].region().writes_before_saving() : 0);
    node->output_specs.push_back(outputs[i].spec());
    outputs[i].set_node(node, static_cast<int>(i));
  }
  node->was_training = training;
  node->operation = std::move(operation);
}

Status check_not_recorded(std::string_view name, std::span<const Array> inputs, const Array& output) {
  const bool concerns = has_history(output) || std::ranges::any_of(inputs, has_history);
  if (recording && concerns) {
    return failed_precondition(
        "{}: arrays are not changed in place while autograd records; write x = x + y instead of x += y",
        name);
  }
  return ok_status();
}

}  // namespace forebay::ndarray
