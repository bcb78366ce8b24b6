#include "forebay/ndarray/saved.h"

#include <string_view>

#include "forebay/ndarray/node.h"

namespace forebay::ndarray {
namespace {

Status was_written(const Node& node, std::string_view what, int place, const ArraySpec& spec) {
  return failed_precondition(
      "{}: {} {} ({}) was written in place after the operation was recorded, so the gradient would be wrong. "
      "Write to a copy (x = x + 1, or x.copy()), or call backward() before the write",
      node.operation->name(), what, place, spec.to_string());
}

/// The first of some inputs that was written since it was recorded; -1: none.
int first_written_input(const Node& node, Places inputs) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (inputs.has(i) && !node.inputs[i].region().is_unchanged(node.input_writes[i])) [[unlikely]] {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int first_written_output(const Node& node, Places outputs) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (outputs.has(i) && !node.outputs[i].is_unchanged(node.output_writes[i])) [[unlikely]] {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

Status check_unchanged(const Node& node, Places wanted) {
  if (!node.operation->is_differentiable()) {
    return ok_status();  // which has an error of its own
  }
  const Keeps read = node.operation->keeps(wanted);
  const int input = first_written_input(node, read.inputs);
  if (input >= 0) [[unlikely]] {
    return was_written(node, "input", input, node.input_specs[static_cast<size_t>(input)]);
  }
  const int output = first_written_output(node, read.outputs);
  if (output >= 0) [[unlikely]] {
    return was_written(node, "result", output, node.output_specs[static_cast<size_t>(output)]);
  }
  return ok_status();
}

}  // namespace forebay::ndarray
