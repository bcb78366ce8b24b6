// Inputs are external sources, outputs what the graph gives: their names, and the types that the graph
// declares.
#include "forebay/serving/pipelines/pipeline_signature.h"

#include <algorithm>

#include "forebay/operators/operator.h"

namespace forebay::serving {
namespace {

using pipeline::Edge;
using pipeline::Graph;
using pipeline::Node;

std::optional<tensor::DType> dtype_of_number(int64_t number) {
  const bool is_one = number >= 0 && number <= static_cast<int64_t>(tensor::DType::kBool);
  return is_one ? std::optional(static_cast<tensor::DType>(number)) : std::nullopt;
}

/// Argument `name` of a node, which is a number or has one for each output.
std::optional<int64_t> declared_number(const Node& node, const std::string& name, int output) {
  if (const auto* one = node.constant<int64_t>(name)) {
    return *one;
  }
  const auto* each = node.constant<std::vector<int64_t>>(name);
  const bool has_it = each != nullptr && output < static_cast<int>(each->size());
  return has_it ? std::optional((*each)[output]) : std::nullopt;
}

std::string declared_layout(const Node& node, int output) {
  if (const auto* one = node.constant<std::string>("layout")) {
    return *one;
  }
  const auto* each = node.constant<std::vector<std::string>>("layout");
  return each != nullptr && output < static_cast<int>(each->size()) ? (*each)[output] : "";
}

std::optional<tensor::DType> declared_type(const Node& node, int output) {
  const std::optional<int64_t> number = declared_number(node, "dtype", output);
  return number ? dtype_of_number(*number) : std::nullopt;
}

bool feeds_decoder(const Graph& graph, const Edge& edge) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    return node.op.starts_with("decoders.") && !node.inputs.empty() && node.inputs[0] == edge;
  });
}

std::string name_of_output(const Node& node, int output, std::string_view kind, int number) {
  const std::string name = node.name.empty() ? fmt::format("{}_{}", kind, number) : node.name;
  return node.num_outputs == 1 || node.name.empty() ? name : fmt::format("{}_{}", name, output);
}

Result<PipelineInput> input_of(const Graph& graph, int number, int output) {
  const Node& node = graph.nodes()[number];
  if (node.name.empty()) {
    return invalid_argument(
        "the external source at node {} has no name: give it one, name=\"...\", by which requests "
        "name their tensor",
        number);
  }
  PipelineInput input;
  input.node = number;
  input.output = output;
  input.name = name_of_output(node, output, "input", number);
  const std::optional<tensor::DType> dtype = declared_type(node, output);
  input.is_declared = dtype.has_value();
  input.datatype = dtype ? datatype_of(*dtype) : Datatype::kFp32;
  if (feeds_decoder(graph, {number, output})) {
    input.datatype = Datatype::kBytes;
  }
  const std::string layout = declared_layout(node, output);
  if (layout.size() <= tensor::kMaxRank) {
    input.layout = tensor::Layout(std::string_view(layout));
  }
  return input;
}

/// The type of an operator's argument "dtype": given, or its default.
std::optional<tensor::DType> type_of_operator(const Node& node) {
  const Result<const operators::OperatorSpec*> spec = operators::find_operator(node.op);
  const operators::ParameterSpec* parameter = spec.ok() ? (*spec)->find_parameter("dtype") : nullptr;
  if (parameter == nullptr) {
    return node.op.starts_with("decoders.image") ? std::optional(tensor::DType::kUint8) : std::nullopt;
  }
  const auto* by_default = std::get_if<int64_t>(&parameter->default_value);
  const std::optional<int64_t> number = node.constants.contains("dtype") ? declared_number(node, "dtype", 0)
                                        : by_default != nullptr          ? std::optional(*by_default)
                                                                         : std::nullopt;
  return number ? dtype_of_number(*number) : std::nullopt;
}

TensorMetadata output_of(const Graph& graph, int number, bool has_batch) {
  const Edge edge = graph.outputs()[number];
  const Node& node = graph.nodes()[edge.node];
  const pipeline::OutputPromise promise = number < static_cast<int>(graph.promises().size())
                                              ? graph.promises()[number]
                                              : pipeline::OutputPromise();
  TensorMetadata output;
  output.name = name_of_output(node, edge.output, "output", number);
  const std::optional<tensor::DType> dtype = promise.dtype ? promise.dtype : type_of_operator(node);
  output.takes_any = !dtype || !promise.ndim;
  output.is_type_known = dtype.has_value();
  output.datatype = dtype ? datatype_of(*dtype) : Datatype::kFp32;
  if (has_batch) {
    output.shape.push_back(-1);
  }
  output.shape.resize(output.shape.size() + (promise.ndim ? std::clamp<int64_t>(*promise.ndim, 0, 8) : 1),
                      -1);
  return output;
}

Status make_unique(std::vector<TensorMetadata>* outputs) {
  for (size_t i = 0; i < outputs->size(); ++i) {
    for (size_t before = 0; before < i; ++before) {
      if ((*outputs)[before].name == (*outputs)[i].name) {
        (*outputs)[i].name += fmt::format("_{}", i);
        return make_unique(outputs);
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<PipelineSignature> signature_of(const Graph& graph, bool has_batch,
                                       const std::vector<std::string>& output_names) {
  PipelineSignature signature;
  for (int number = 0; number < static_cast<int>(graph.nodes().size()); ++number) {
    const Node& node = graph.nodes()[number];
    for (int output = 0; node.op == pipeline::kExternalSource && output < node.num_outputs; ++output) {
      FOREBAY_ASSIGN_OR_RETURN(PipelineInput input, input_of(graph, number, output));
      signature.inputs.push_back(std::move(input));
    }
  }
  for (int number = 0; number < static_cast<int>(graph.outputs().size()); ++number) {
    signature.outputs.push_back(output_of(graph, number, has_batch));
  }
  if (output_names.empty()) {
    FOREBAY_RETURN_IF_ERROR(make_unique(&signature.outputs));
    return signature;
  }
  if (output_names.size() != signature.outputs.size()) {
    return invalid_argument("the pipeline has {} outputs, and the configuration names {}",
                            signature.outputs.size(), output_names.size());
  }
  for (size_t i = 0; i < output_names.size(); ++i) {
    signature.outputs[i].name = output_names[i];
  }
  return signature;
}

std::vector<TensorMetadata> metadata_of(const std::vector<PipelineInput>& inputs, const Graph& graph,
                                        bool has_batch) {
  std::vector<TensorMetadata> rows;
  for (const PipelineInput& input : inputs) {
    TensorMetadata row;
    row.name = input.name;
    row.datatype = input.datatype;
    const std::optional<int64_t> rank = declared_number(graph.nodes()[input.node], "ndim", input.output);
    const bool is_bytes = input.datatype == Datatype::kBytes;
    row.takes_any = is_bytes || !input.is_declared || !rank;
    if (has_batch) {
      row.shape.push_back(-1);
    }
    const bool has_rank = !is_bytes && rank && *rank >= 0 && *rank <= tensor::kMaxRank;
    row.shape.resize(row.shape.size() + (has_rank ? *rank : 1), is_bytes ? 1 : -1);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace forebay::serving
