// Nodes as actions: their operators, values and sides of the border, and which reader their samples come
// from.
#include <algorithm>

#include "forebay/pipeline/plan/compiler.h"

namespace forebay::pipeline {

using operators::Scope;

namespace {

// The copies between host and device are `x.gpu()` and `x.cpu()` to who wrote them.
std::string copy_name(const Node& copy, const std::string& input) {
  return input + (copy.op == kCopyToDevice ? ".gpu()" : ".cpu()");
}

bool asks_for_origin(const Node& node) {
  const auto* const key = node.constant<std::string>("key");
  return node.op == "get_property" && key != nullptr && *key == "source_info";
}

}  // namespace

Placement Compiler::placement_of(const Node& node) {
  if (node.op == kCopyToDevice) {
    return Placement::kToDevice;
  }
  if (node.op == kCopyToHost) {
    return Placement::kToHost;
  }
  return node.device == Device::kGpu ? Placement::kDevice : Placement::kHost;
}

bool Compiler::is_on_device(const Edge& edge) const {
  const Placement placement = placement_of(graph().nodes()[edge.node]);
  return placement == Placement::kDevice || placement == Placement::kToDevice;
}

// Crossings are written by the user, as in DALI: an operator takes inputs of its own side, arguments always
// from the host.
Status Compiler::check_device(int index) const {
  const Node& node = graph().nodes()[index];
  const std::string& name = actions_.at(index).name;
  const Placement placement = placement_of(node);
  if (placement == Placement::kHost || placement == Placement::kToDevice) {
    for (const Edge& edge : node.inputs) {
      if (is_on_device(edge)) {
        return invalid_argument("'{}' runs on the CPU and its input is on the GPU: give it input.cpu()",
                                name);
      }
    }
  }
  if (placement == Placement::kDevice || placement == Placement::kToDevice) {
    if (!plan_->options_.has_device) {
      return unimplemented(
          "'{}' is placed on the GPU, and this build has no GPU back end: leave out .gpu() and "
          "device=\"gpu\"",
          name);
    }
    if (placement == Placement::kDevice && !actions_.at(index).op->runs_on_devices()) {
      return unimplemented(
          "'{}' has no GPU back end: leave out device=\"gpu\", and give it .cpu() of its inputs", name);
    }
  }
  if (placement == Placement::kDevice) {
    for (const Edge& edge : node.inputs) {
      if (!is_on_device(edge)) {
        return invalid_argument("'{}' runs on the GPU and its input is on the CPU: give it input.gpu()",
                                name);
      }
    }
  }
  for (const auto& [argument, edge] : node.tensors) {
    if (is_on_device(edge)) {
      return invalid_argument("argument '{}' of '{}' is on the GPU: arguments are CPU tensors", argument,
                              name);
    }
  }
  return ok_status();
}

Status Compiler::make_actions() {
  first_value_.resize(graph().nodes().size());
  for (int node = 0; node < static_cast<int>(graph().nodes().size()); ++node) {
    first_value_[node] = plan_->num_values_;
    plan_->num_values_ += graph().nodes()[node].num_outputs;
    if (places_[node].is_live) {
      FOREBAY_ASSIGN_OR_RETURN(actions_[node], make_action(node));
      FOREBAY_RETURN_IF_ERROR(check_device(node));
      plan_->has_device_actions_ |= actions_[node].placement != Placement::kHost;
    }
  }
  return ok_status();
}

std::string Compiler::action_name(const Node& node) const {
  if (!node.name.empty()) {
    return node.name;
  }
  return is_copy(node) ? copy_name(node, actions_.at(node.inputs[0].node).name) : node.op;
}

Result<Action> Compiler::make_action(int index) const {
  const Node& node = graph().nodes()[index];
  Action action;
  action.name = action_name(node);
  action.type = node.op;
  action.node = index;
  action.operator_key = graph().operator_key(index);
  action.seed = node.seed.value_or(plan_->options_.seed);
  action.is_merge = node.op == "_merge";
  action.placement = placement_of(node);
  operators::Arguments arguments;
  arguments.constants = node.constants;
  arguments.num_inputs = static_cast<int>(node.inputs.size());
  for (const Edge& edge : node.inputs) {
    action.inputs.push_back(value_of(edge));
  }
  for (const auto& [name, edge] : node.tensors) {
    arguments.tensors.emplace(name, static_cast<int>(action.arguments.size()));
    action.arguments.push_back(value_of(edge));
  }
  for (int output = 0; output < node.num_outputs; ++output) {
    action.outputs.push_back(first_value_[index] + output);
  }
  for (const Guard& guard : node.guards) {
    action.guards.emplace_back(value_of(guard.predicate), guard.wanted);
  }
  const bool is_border = node.op == kExternalSource || node.op == kHostFunction || is_copy(node);
  const auto& replaced = plan_->options_.replaced_operators;
  if (const auto found = replaced.find(action.name); found != replaced.end()) {
    action.op = found->second;
  } else if (!is_border) {
    FOREBAY_ASSIGN_OR_RETURN(const operators::OperatorSpec* spec, operators::find_operator(node.op));
    FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<operators::Operator> op, spec->create(arguments));
    action.op = std::move(op);
  }
  return action;
}

// Which reader each node's samples come from: that of its first input that has one, else of an argument.
// After a batch operator a place in the batch does not tell.
Status Compiler::trace_readers() {
  int readers = 0;
  std::vector<Provenance> known(graph().nodes().size());
  for (auto& [index, action] : actions_) {
    const Node& node = graph().nodes()[index];
    Provenance& of_node = known[index];
    of_node = provenance_of(node, known);
    action.needs_origin = asks_for_origin(node);
    if (action.needs_origin && of_node.reader == kMixedReaders) {
      return invalid_argument(
          "'{}' cannot tell the source_info of samples after an operator on the whole batch: "
          "take it before that",
          action.name);
    }
    if (is_source(action)) {
      of_node.reader = readers++;
      of_node.is_reader = true;
    }
    action.reader = action.needs_origin && of_node.is_computed ? kNoReader : of_node.reader;
    action.field = of_node.field;
    if (action.op != nullptr && action.op->scope() == Scope::kBatch && of_node.reader >= 0) {
      of_node.reader = kMixedReaders;
    }
    of_node.is_computed = of_node.is_computed || action.type == kHostFunction;
  }
  return ok_status();
}

Compiler::Provenance Compiler::provenance_of(const Node& node, const std::vector<Provenance>& known) {
  std::vector<Edge> edges = node.inputs;
  for (const auto& [name, edge] : node.tensors) {
    edges.push_back(edge);
  }
  const auto of_edge = [&](const Edge& edge) {
    Provenance found = known[edge.node];
    if (found.is_reader) {
      found.is_reader = false;
      found.field = edge.output;
    }
    return found;
  };
  Provenance of_node;
  for (const Edge& edge : edges) {
    const Provenance found = of_edge(edge);
    if (found.reader == kNoReader) {
      continue;
    }
    if (of_node.reader == kNoReader) {
      of_node = found;
    } else if (found.reader != of_node.reader || found.field != of_node.field) {
      of_node.field = kManyFields;
    }
  }
  return of_node;
}

}  // namespace forebay::pipeline
