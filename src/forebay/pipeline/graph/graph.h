// A graph as the user wrote it: nodes in the order of writing, checked against the operator table as they are
// added. A value; saved and loaded as JSON. Nothing of it runs: plan.h compiles it.
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

/// The node runs only for samples where the predicate (a scalar) is, or is not, true.
struct Guard {
  Edge predicate;
  bool wanted = true;
  friend bool operator==(const Guard&, const Guard&) = default;
};

struct Node {
  std::string op;    // an operator of the table, or one of the border nodes below
  std::string name;  // the user's; empty when not named. Names are unique.
  Device device = Device::kCpu;
  std::vector<Edge> inputs;
  std::map<std::string, Value> constants;
  std::map<std::string, Edge> tensors;  // arguments given as tensors
  std::vector<Guard> guards;            // all must hold
  std::optional<uint64_t> seed;         // an operator's own seed; else the pipeline's
  int num_outputs = 1;                  // filled by Graph::add

  /// The constant of that name and type; null when there is none, or one of another type.
  template <class T>
  const T* constant(const std::string& argument) const {
    const auto found = constants.find(argument);
    return found == constants.end() ? nullptr : std::get_if<T>(&found->second);
  }
};

/// Nodes at the border of the graph, which the table does not hold: their work is given to the Session at run
/// time.
inline constexpr std::string_view kExternalSource =
    "external_source";  // constants: num_outputs, dtype, layout, ndim
inline constexpr std::string_view kHostFunction =
    "python_function";  // constants: num_outputs, batch_processing, preserve (runs though nobody uses it)
inline constexpr std::string_view kCopyToDevice = "_copy_to_device";  // .gpu()
inline constexpr std::string_view kCopyToHost = "_copy_to_host";      // .cpu()

/// What an output promises; checked against what comes.
struct OutputPromise {
  std::optional<tensor::DType> dtype;
  std::optional<int64_t> ndim;
  std::string layout;  // empty: any
};

class Graph {
 public:
  /// Adds a node and gives its number. Errors name the operator and the argument: unknown operator or
  /// argument, wrong kind, missing, wrong number of inputs, an edge to nowhere, a name used twice.
  Result<int> add(Node node);

  /// Makes `edges` the outputs, in this order. An edge may be given more than once.
  Status set_outputs(std::vector<Edge> edges, std::vector<OutputPromise> promises = {});

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& outputs() const { return outputs_; }
  const std::vector<OutputPromise>& promises() const { return promises_; }

  /// The node of that name, or -1.
  int find(std::string_view name) const;

  /// The key that names a node's random numbers: one for all nodes with a seed of their own, so that equal
  /// seeds draw equal numbers; else of the name if the node has one, else of (type, ordinal among the type).
  uint64_t operator_key(int node) const;

  /// Text that is not UTF-8 stands in it as {"bytes": each byte as the character of that number}.
  std::string to_json() const;
  static Result<Graph> from_json(std::string_view text);

  /// A fingerprint of everything that decides the results: equal for graphs of equal JSON form. Reads all of
  /// it; Plan::fingerprint() keeps it.
  uint64_t fingerprint() const;

 private:
  std::vector<Node> nodes_;
  std::vector<Edge> outputs_;
  std::vector<OutputPromise> promises_;
};

}  // namespace forebay::pipeline
