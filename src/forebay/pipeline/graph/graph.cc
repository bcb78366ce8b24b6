#include "forebay/pipeline/graph/graph.h"

#include <algorithm>
#include <span>

#include "forebay/base/random/random.h"
#include "forebay/operators/operator.h"

namespace forebay::pipeline {
namespace {

bool is_border(std::string_view op) {
  return op == kExternalSource || op == kHostFunction || op == kCopyToDevice || op == kCopyToHost;
}

Result<int> border_outputs(const Node& node) {
  const auto given = node.constants.find("num_outputs");
  if (given == node.constants.end()) {
    return 1;
  }
  const auto* count = std::get_if<int64_t>(&given->second);
  if (count == nullptr || *count < 0 || *count > 1024) {
    return invalid_argument("{}: num_outputs must be a number from 0 to 1024", node.op);
  }
  return static_cast<int>(*count);
}

Result<int> table_outputs(const Node& node) {
  FOREBAY_ASSIGN_OR_RETURN(const operators::OperatorSpec* spec, operators::find_operator(node.op));
  operators::Arguments arguments;
  arguments.constants = node.constants;
  arguments.num_inputs = static_cast<int>(node.inputs.size());
  for (const auto& [name, edge] : node.tensors) {
    arguments.tensors.emplace(name, static_cast<int>(arguments.tensors.size()));
  }
  FOREBAY_ASSIGN_OR_RETURN(const auto op, spec->create(arguments));
  return op->num_outputs();
}

}  // namespace

std::string_view name_of(Device device) {
  return device == Device::kCpu ? "cpu" : "gpu";
}

Result<int> Graph::add(Node node) {
  const auto check_edge = [&](const Edge& edge, std::string_view what) -> Status {
    if (edge.node < 0 || edge.node >= static_cast<int>(nodes_.size()) || edge.output < 0 ||
        edge.output >= nodes_[edge.node].num_outputs) {
      return invalid_argument("{}: {} refers to output {} of node {}, which does not exist", node.op, what,
                              edge.output, edge.node);
    }
    return ok_status();
  };
  for (const Edge& edge : node.inputs) {
    FOREBAY_RETURN_IF_ERROR(check_edge(edge, "an input"));
  }
  for (const auto& [name, edge] : node.tensors) {
    FOREBAY_RETURN_IF_ERROR(check_edge(edge, "argument '" + name + "'"));
  }
  for (const Guard& guard : node.guards) {
    FOREBAY_RETURN_IF_ERROR(check_edge(guard.predicate, "a condition"));
  }
  if (!node.name.empty() && find(node.name) >= 0) {
    return invalid_argument("the name '{}' is used twice; names of operators are unique within a pipeline",
                            node.name);
  }
  FOREBAY_ASSIGN_OR_RETURN(node.num_outputs, is_border(node.op) ? border_outputs(node) : table_outputs(node));
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

Status Graph::set_outputs(std::vector<Edge> edges, std::vector<OutputPromise> promises) {
  for (const Edge& edge : edges) {
    if (edge.node < 0 || edge.node >= static_cast<int>(nodes_.size()) || edge.output < 0 ||
        edge.output >= nodes_[edge.node].num_outputs) {
      return invalid_argument("an output refers to output {} of node {}, which does not exist", edge.output,
                              edge.node);
    }
  }
  if (!promises.empty() && promises.size() != edges.size()) {
    return invalid_argument("{} output types are promised for {} outputs", promises.size(), edges.size());
  }
  outputs_ = std::move(edges);
  promises_ = std::move(promises);
  return ok_status();
}

std::vector<Edge> Node::arguments_from() const {
  std::vector<Edge> edges;
  for (const auto& [name, edge] : tensors) {
    edges.push_back(edge);
  }
  for (const Guard& guard : guards) {
    edges.push_back(guard.predicate);
  }
  return edges;
}

std::vector<Edge> Node::dependencies() const {
  std::vector<Edge> edges = inputs;
  const std::vector<Edge> arguments = arguments_from();
  edges.insert(edges.end(), arguments.begin(), arguments.end());
  return edges;
}

int Graph::find(std::string_view name) const {
  const auto found = std::ranges::find_if(nodes_, [&](const Node& node) { return node.name == name; });
  return found == nodes_.end() ? -1 : static_cast<int>(found - nodes_.begin());
}

uint64_t Graph::operator_key(int index) const {
  const Node& node = nodes_[index];
  if (node.seed) {
    return hash64("seed");
  }
  if (!node.name.empty()) {
    return hash64("name:" + node.name);
  }
  const auto before = std::span(nodes_).first(index);
  const auto ordinal = std::ranges::count_if(before, [&](const Node& other) { return other.op == node.op; });
  return mix64(hash64("type:" + node.op), static_cast<uint64_t>(ordinal));
}

}  // namespace forebay::pipeline
