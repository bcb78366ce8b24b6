// A graph as JSON: {"forebay_graph": 1, "nodes": [...], "outputs": [[node, output], ...]}. Reading checks
// everything again, because a file comes from outside: nodes go through Graph::add.
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "forebay/base/utf8.h"
#include "forebay/operators/added_operators.h"
#include "forebay/pipeline/graph/graph.h"

namespace forebay::pipeline {
namespace {

using nlohmann::json;

constexpr int kFormatVersion = 1;
constexpr size_t kMaxNodes = 100000;

json float_json(double value) {
  // JSON has no infinities.
  return std::isfinite(value) ? json(value) : json{{"float", fmt::format("{}", value)}};
}

// JSON text must be UTF-8, but file names may have any bytes: those become the characters with the same
// numbers.
json text_json(const std::string& text) {
  if (is_utf8(text)) {
    return text;
  }
  std::string characters;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      characters += c;
    } else {
      characters += static_cast<char>(0xC0 | (byte >> 6));
      characters += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return json{{"bytes", characters}};
}

std::string read_text(const json& item) {
  if (item.is_string()) {
    return item.get<std::string>();
  }
  const auto characters = item.at("bytes").get<std::string>();
  std::string text;
  for (size_t i = 0; i < characters.size(); ++i) {
    const auto first = static_cast<uint8_t>(characters[i]);
    if (first < 0x80) {
      text += characters[i];
    } else if (first < 0xC4) {
      text += static_cast<char>(((first & 0x03) << 6) | (static_cast<uint8_t>(characters[++i]) & 0x3F));
    } else {
      throw std::invalid_argument("a character in \"bytes\" is not a byte");
    }
  }
  return text;
}

json value_json(const Value& value) {
  struct Writer {
    json operator()(std::monostate) const { return nullptr; }
    json operator()(bool flag) const { return flag; }
    json operator()(int64_t number) const { return number; }
    json operator()(double number) const { return float_json(number); }
    json operator()(const std::string& text) const { return text_json(text); }
    json operator()(const std::vector<int64_t>& values) const { return values; }
    json operator()(const std::vector<std::string>& values) const {
      json list = json::array();
      for (const std::string& text : values) {
        list.push_back(text_json(text));
      }
      return list;
    }
    json operator()(const std::vector<double>& values) const {
      json list = json::array();
      for (const double value : values) {
        list.push_back(float_json(value));
      }
      return list;
    }
  };
  return std::visit(Writer{}, value);
}

bool is_float(const json& item) {
  return item.is_number_float() || item.is_object();
}

bool is_text(const json& item) {
  return item.is_string() || item.contains("bytes");
}

double read_float(const json& item) {
  return item.is_object() ? std::stod(item.at("float").get<std::string>()) : item.get<double>();
}

Value read_list(const json& list) {
  if (!list.empty() && is_text(list[0])) {
    std::vector<std::string> texts;
    for (const json& item : list) {
      texts.push_back(read_text(item));
    }
    return texts;
  }
  if (std::ranges::any_of(list, is_float)) {
    std::vector<double> values;
    for (const json& item : list) {
      values.push_back(read_float(item));
    }
    return values;
  }
  return list.get<std::vector<int64_t>>();
}

Value read_value(const json& item) {
  if (item.is_null()) {
    return {};
  }
  if (item.is_boolean()) {
    return item.get<bool>();
  }
  if (item.is_number_integer()) {
    return item.get<int64_t>();
  }
  if (is_text(item)) {
    return read_text(item);
  }
  if (item.is_array()) {
    return read_list(item);
  }
  return read_float(item);
}

json edge_json(const Edge& edge) {
  return json::array({edge.node, edge.output});
}

Edge read_edge(const json& item) {
  return {item.at(0).get<int>(), item.at(1).get<int>()};
}

json node_json(const Node& node) {
  json object = {{"op", node.op}};
  if (!node.name.empty()) {
    object["name"] = node.name;
  }
  if (std::string library = operators::library_of(node.op); !library.empty()) {
    object["library"] = std::move(library);
  }
  if (node.device != Device::kCpu) {
    object["device"] = name_of(node.device);
  }
  if (node.seed) {
    object["seed"] = *node.seed;
  }
  for (const Edge& edge : node.inputs) {
    object["inputs"].push_back(edge_json(edge));
  }
  for (const auto& [name, value] : node.constants) {
    object["constants"][name] = value_json(value);
  }
  for (const auto& [name, edge] : node.tensors) {
    object["tensors"][name] = edge_json(edge);
  }
  for (const Guard& guard : node.guards) {
    object["guards"].push_back(json::array({guard.predicate.node, guard.predicate.output, guard.wanted}));
  }
  return object;
}

Node read_node(const json& object) {
  Node node;
  node.op = object.at("op").get<std::string>();
  node.name = object.value("name", "");
  node.device = object.value("device", "cpu") == "gpu" ? Device::kGpu : Device::kCpu;
  if (object.contains("seed")) {
    node.seed = object["seed"].get<uint64_t>();
  }
  for (const json& edge : object.value("inputs", json::array())) {
    node.inputs.push_back(read_edge(edge));
  }
  const json constants = object.value("constants", json::object());
  for (const auto& [name, value] : constants.items()) {
    node.constants.emplace(name, read_value(value));
  }
  const json tensors = object.value("tensors", json::object());
  for (const auto& [name, edge] : tensors.items()) {
    node.tensors.emplace(name, read_edge(edge));
  }
  for (const json& guard : object.value("guards", json::array())) {
    node.guards.push_back({read_edge(guard), guard.at(2).get<bool>()});
  }
  return node;
}

json promise_json(const OutputPromise& promise) {
  json object = json::object();
  if (promise.dtype) {
    object["dtype"] = tensor::name_of(*promise.dtype);
  }
  if (promise.ndim) {
    object["ndim"] = *promise.ndim;
  }
  if (!promise.layout.empty()) {
    object["layout"] = promise.layout;
  }
  return object;
}

Result<OutputPromise> read_promise(const json& object) {
  OutputPromise promise;
  if (object.contains("dtype")) {
    FOREBAY_ASSIGN_OR_RETURN(promise.dtype, tensor::dtype_of(object["dtype"].get<std::string>()));
  }
  if (object.contains("ndim")) {
    promise.ndim = object["ndim"].get<int64_t>();
  }
  promise.layout = object.value("layout", "");
  return promise;
}

/// An operator of a user's library that is not loaded is asked for by the library's name.
Status check_library(const json& node) {
  const auto op = node.at("op").get<std::string>();
  const std::string library = node.value("library", "");
  if (library.empty() || operators::find_operator(op).ok()) {
    return ok_status();
  }
  return failed_precondition(
      "the operator '{}' is of the library '{}', which is not loaded: load it first, with "
      "plugin_manager.load_library() "
      "or plugin::load_operators()",
      op, library);
}

Result<Graph> read_graph(const json& object) {
  if (object.value("forebay_graph", 0) != kFormatVersion) {
    return invalid_argument("not a saved graph of version {}", kFormatVersion);
  }
  const json& nodes = object.at("nodes");
  if (nodes.size() > kMaxNodes) {
    return invalid_argument("a graph of {} nodes is over the limit of {}", nodes.size(), kMaxNodes);
  }
  Graph graph;
  for (const json& node : nodes) {
    FOREBAY_RETURN_IF_ERROR(check_library(node));
    FOREBAY_RETURN_IF_ERROR(graph.add(read_node(node)).status());
  }
  std::vector<Edge> outputs;
  for (const json& edge : object.at("outputs")) {
    outputs.push_back(read_edge(edge));
  }
  std::vector<OutputPromise> promises;
  for (const json& promise : object.value("promises", json::array())) {
    FOREBAY_ASSIGN_OR_RETURN(promises.emplace_back(), read_promise(promise));
  }
  FOREBAY_RETURN_IF_ERROR(graph.set_outputs(std::move(outputs), std::move(promises)));
  return graph;
}

}  // namespace

std::string Graph::to_json() const {
  json object = {{"forebay_graph", kFormatVersion}, {"nodes", json::array()}, {"outputs", json::array()}};
  for (const Node& node : nodes_) {
    object["nodes"].push_back(node_json(node));
  }
  for (const Edge& edge : outputs_) {
    object["outputs"].push_back(edge_json(edge));
  }
  for (const OutputPromise& promise : promises_) {
    object["promises"].push_back(promise_json(promise));
  }
  return object.dump();
}

Result<Graph> Graph::from_json(std::string_view text) {
  try {
    return read_graph(json::parse(text));
  } catch (const std::exception& error) {  // the library reports errors by exceptions; none leaves this file
    return invalid_argument("the saved graph cannot be read: {}", error.what());
  }
}

}  // namespace forebay::pipeline
