// A graph as the user wrote it: nodes in the order of writing, checked against the operator table as they are
// added. A value type; saved and loaded as JSON. A graph does not run; plan.h compiles it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/operators/value.h"
#include "forebay/tensor/dtype.h"

namespace forebay::pipeline {

using operators::Value;

enum class Device { kCpu, kGpu };

std::string_view name_of(Device device);  // "cpu", "gpu"

/// Output `output` of node `node`.
struct Edge {
  int node = -1;
  int output = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// The node runs only for samples for which the predicate (a scalar) is true, or is false.
struct Guard {
  Edge predicate;
  bool wanted = true;
  friend bool operator==(const Guard&, const Guard&) = default;
};

struct Node {
  std::string op;    // an operator from the table, or one of the border nodes below
  std::string name;  // the user's name for it, which is unique; empty if it has none
  Device device = Device::kCpu;
  std::vector<Edge> inputs;
  std::map<std::string, Value> constants;
  std::map<std::string, Edge> tensors;  // arguments given as tensors
  std::vector<Guard> guards;            // all must hold
  std::optional<uint64_t> seed;         // the operator's own seed; otherwise the pipeline's is used
  int num_outputs = 1;                  // filled in by Graph::add

  /// The constant with that name and type; null if there is none, or it has another type.
  template <class T>
  const T* constant(const std::string& argument) const {
    const auto found = constants.find(argument);
    return found == constants.end() ? nullptr : std::get_if<T>(&found->second);
  }

  /// What arguments and guards come from.
  std::vector<Edge> arguments_from() const;
  /// The same, behind the inputs: all that the node needs.
  std::vector<Edge> dependencies() const;
};

/// Nodes at the border of the graph, which are not in the table: their work is passed to the Session at run
/// time.
inline constexpr std::string_view kExternalSource =
    "external_source";  // constants: num_outputs, dtype, layout, ndim
inline constexpr std::string_view kHostFunction =
    "python_function";  // constants: num_outputs, batch_processing, preserve (run even if nothing uses it)
inline constexpr std::string_view kCopyToDevice = "_copy_to_device";  // .gpu()
inline constexpr std::string_view kCopyToHost = "_copy_to_host";      // .cpu()

/// What an output declares; checked against the data.
struct OutputPromise {
  std::optional<tensor::DType> dtype;
  std::optional<int64_t> ndim;
  std::string layout;  // empty: any
};

class Graph {
 public:
  /// Adds a node and returns its number. Errors name the operator and the argument: unknown operator or
  /// argument, wrong kind, missing argument, wrong number of inputs, an edge to a node that does not exist, a
  /// duplicate name.
  Result<int> add(Node node);

  /// Makes `edges` the outputs, in this order. An edge may occur more than once.
  Status set_outputs(std::vector<Edge> edges, std::vector<OutputPromise> promises = {});

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& outputs() const { return outputs_; }
  const std::vector<OutputPromise>& promises() const { return promises_; }

  /// The node with that name, or -1.
  int find(std::string_view name) const;

  /// The key for a node's random numbers: one key for all nodes with their own seed, so that equal seeds draw
  /// equal numbers; otherwise a hash of the name or, without one, of (type, ordinal among nodes of the type).
  uint64_t operator_key(int node) const;

  /// Text that is not UTF-8 is stored as {"bytes": ...}, with each byte as the character of that number.
  std::string to_json() const;
  static Result<Graph> from_json(std::string_view text);

  /// A fingerprint of everything that determines the results: equal for graphs with equal JSON. Reads the
  /// whole graph; Plan::graph_fingerprint() keeps the result.
  uint64_t fingerprint() const;
  /// A fingerprint of what these nodes go by: their operators, constants, and all that their arguments and
  /// guards are computed from. Their inputs are no part of it, nor is the shard that a reader reads, or where
  /// it keeps its index.
  uint64_t fingerprint_of_rules(const std::vector<int>& nodes) const;

 private:
  std::vector<Node> nodes_;
  std::vector<Edge> outputs_;
  std::vector<OutputPromise> promises_;
};

}  // namespace forebay::pipeline
