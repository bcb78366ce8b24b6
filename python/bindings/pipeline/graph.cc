// Graphs and plans.
#include "forebay/pipeline/graph/graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/pipeline/values.h"
#include "bindings/storage/store_calls.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::bindings {
namespace {

using pipeline::Edge;
using pipeline::Graph;
using pipeline::Node;
using pipeline::Plan;

using PythonEdge = std::pair<int, int>;                                               // node, output
using PythonGuard = std::tuple<int, int, bool>;                                       // node, output, wanted
using Promise = std::tuple<std::optional<int>, std::optional<int64_t>, std::string>;  // dtype, ndim, layout

/// Node number and number of outputs.
std::pair<int, int> add(Graph& graph, const std::string& op, const std::string& name,
                        const std::string& device, const std::vector<PythonEdge>& inputs,
                        const nb::dict& constants, const nb::dict& tensors,
                        const std::vector<PythonGuard>& guards, std::optional<int64_t> seed) {
  Node node;
  node.op = op;
  node.name = name;
  node.device = device == "cpu" ? pipeline::Device::kCpu : pipeline::Device::kGpu;
  for (const auto& [source, output] : inputs) {
    node.inputs.push_back({source, output});
  }
  for (const auto& [key, value] : constants) {
    const auto argument = nb::cast<std::string>(key);
    node.constants.emplace(argument, value_from(value, argument));
  }
  for (const auto& [key, value] : tensors) {
    const auto [source, output] = nb::cast<PythonEdge>(value);
    node.tensors.emplace(nb::cast<std::string>(key), Edge{source, output});
  }
  for (const auto& [source, output, wanted] : guards) {
    node.guards.push_back({{source, output}, wanted});
  }
  if (seed) {
    node.seed = static_cast<uint64_t>(*seed);
  }
  const int number = value_of(graph.add(std::move(node)), Lookup::kKey);
  return {number, graph.nodes()[number].num_outputs};
}

void set_outputs(Graph& graph, const std::vector<PythonEdge>& outputs, const std::vector<Promise>& promises) {
  std::vector<Edge> edges;
  for (const auto& [node, output] : outputs) {
    edges.push_back({node, output});
  }
  std::vector<pipeline::OutputPromise> kept;
  for (const auto& [dtype, ndim, layout] : promises) {
    pipeline::OutputPromise promise;
    if (dtype) {
      promise.dtype = static_cast<tensor::DType>(*dtype);
    }
    promise.ndim = ndim;
    promise.layout = layout;
    kept.push_back(promise);
  }
  check(graph.set_outputs(std::move(edges), std::move(kept)));
}

nb::list nodes_of(const Graph& graph) {
  nb::list rows;
  for (const Node& node : graph.nodes()) {
    nb::dict row;
    row["op"] = nb::str(node.op.c_str());
    row["name"] = nb::str(node.name.c_str());
    row["device"] = nb::str(node.device == pipeline::Device::kCpu ? "cpu" : "gpu");
    row["num_outputs"] = node.num_outputs;
    nb::list inputs;
    for (const Edge& edge : node.inputs) {
      inputs.append(nb::make_tuple(edge.node, edge.output));
    }
    row["inputs"] = inputs;
    nb::dict constants;
    for (const auto& [name, value] : node.constants) {
      constants[name.c_str()] = to_python(value);
    }
    row["constants"] = constants;
    nb::dict tensors;
    for (const auto& [name, edge] : node.tensors) {
      tensors[name.c_str()] = nb::make_tuple(edge.node, edge.output);
    }
    row["tensors"] = tensors;
    nb::list guards;
    for (const pipeline::Guard& guard : node.guards) {
      guards.append(nb::make_tuple(guard.predicate.node, guard.predicate.output, guard.wanted));
    }
    row["guards"] = guards;
    rows.append(row);
  }
  return rows;
}

std::shared_ptr<Plan> compile(const Graph& graph, int batch_size, uint64_t seed, bool fuse, bool has_device) {
  Result<std::shared_ptr<const Plan>> plan = without_gil([&] {
    return Plan::compile(graph,
                         {.batch_size = batch_size, .seed = seed, .fuse = fuse, .has_device = has_device});
  });
  return std::const_pointer_cast<Plan>(value_of(std::move(plan)));  // bound read-only
}

}  // namespace

void bind_graph(nb::module_& module) {
  nb::class_<Graph>(module, "Graph", "A graph as it is being written.")
      .def(nb::init<>())
      .def("add", &add, nb::arg("op"), nb::arg("name"), nb::arg("device"), nb::arg("inputs"),
           nb::arg("constants"), nb::arg("tensors"), nb::arg("guards"), nb::arg("seed").none())
      .def("set_outputs", &set_outputs, nb::arg("outputs"), nb::arg("promises"))
      .def("find", [](const Graph& self, const std::string& name) { return self.find(name); })
      .def("size", [](const Graph& self) { return self.nodes().size(); })
      .def("nodes", &nodes_of)
      .def("outputs",
           [](const Graph& self) {
             nb::list outputs;
             for (const Edge& edge : self.outputs()) {
               outputs.append(nb::make_tuple(edge.node, edge.output));
             }
             return outputs;
           })
      .def("to_json", &Graph::to_json)
      .def_static("from_json", [](const std::string& text) { return value_of(Graph::from_json(text)); });
  nb::class_<Plan>(module, "Plan", "A compiled graph: immutable, shared.")
      .def_static("compile", &compile, nb::arg("graph"), nb::arg("batch_size"), nb::arg("seed"),
                  nb::arg("fuse"), nb::arg("has_device") = false)
      .def("batch_dependent", &Plan::batch_dependent)
      .def(
          "check_states",
          [](const Plan& self, const std::vector<std::string>& states) {
            return value_of(
                without_gil_until_signal([&] { return pipeline::Session::check_states(self, states); }));
          },
          nb::arg("states"),
          "Raises where a session of this plan would refuse the states. Returns which of them it goes on "
          "from, or -1 where what all ranks have left is divided anew.");
}

}  // namespace forebay::bindings
