#include "forebay/pipeline/data_node.h"

#include <string>
#include <utility>
#include <vector>

#include "forebay/pipeline/pipeline.h"
#include "forebay/tensor/dtype.h"

namespace forebay::pipeline {
namespace {

constexpr std::string_view kArithmetic = "_arithmetic";

DataNode constant_in(Pipeline& pipeline, Argument content, bool is_float, tensor::DType dtype) {
  return pipeline.add("constant", {},
                      {{is_float ? "fdata" : "idata", std::move(content)},
                       {"shape", std::vector<int64_t>()},
                       {"dtype", dtype},
                       {"layout", std::string()}})[0];
}

}  // namespace

DataNode Operand::node_in(Pipeline& pipeline) const {
  if (node() != nullptr) {
    return *node();
  }
  if (const auto* const number = std::get_if<double>(&value_)) {
    return constant_in(pipeline, std::vector<double>{*number}, /*is_float=*/true, tensor::DType::kFloat);
  }
  if (const auto* const number = std::get_if<int64_t>(&value_)) {
    return constant_in(pipeline, std::vector<int64_t>{*number}, /*is_float=*/false, tensor::DType::kInt32);
  }
  return constant_in(pipeline, std::vector<int64_t>{std::get<bool>(value_)}, /*is_float=*/false,
                     tensor::DType::kBool);
}

DataNode arithmetic(std::string_view op, std::initializer_list<Operand> operands) {
  std::vector<DataNode> nodes;
  for (const Operand& operand : operands) {
    if (operand.node() != nullptr) {
      nodes.push_back(*operand.node());
    }
  }
  Pipeline* const pipeline = pipeline_of(nodes);
  if (pipeline == nullptr) {
    return without_pipeline("arithmetic", nodes);
  }
  nodes.clear();
  for (const Operand& operand : operands) {
    nodes.push_back(operand.node_in(*pipeline));
  }
  return pipeline->add(kArithmetic, nodes, {{"op", std::string(op)}})[0];
}

}  // namespace forebay::pipeline
