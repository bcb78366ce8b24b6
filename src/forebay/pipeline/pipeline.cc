#include "forebay/pipeline/pipeline.h"

namespace forebay::pipeline {

std::vector<DataNode> Pipeline::add(std::string_view op, const std::vector<DataNode>& inputs,
                                    const std::vector<std::pair<std::string, Argument>>& arguments,
                                    std::string name) {
  Node node;
  node.op = op;
  node.name = std::move(name);
  for (const DataNode& input : inputs) {
    node.inputs.push_back(input.edge());
  }
  for (const auto& [argument_name, argument] : arguments) {
    if (argument.is_node()) {
      node.tensors.emplace(argument_name, argument.node().edge());
    } else if (!std::holds_alternative<std::monostate>(argument.value())) {
      node.constants.emplace(argument_name, argument.value());
    }
  }
  const auto added = graph_.add(std::move(node));
  if (!added.ok()) {
    if (error_.ok()) {
      error_ = added.status();
    }
    return std::vector<DataNode>(
        16, DataNode(this, {}));  // lets the expression continue; build() returns the error
  }
  std::vector<DataNode> outputs;
  for (int output = 0; output < graph_.nodes()[*added].num_outputs; ++output) {
    outputs.emplace_back(this, Edge{*added, output});
  }
  return outputs;
}

void Pipeline::set_outputs(const std::vector<DataNode>& outputs) {
  std::vector<Edge> edges;
  for (const DataNode& output : outputs) {
    edges.push_back(output.edge());
  }
  const Status status = graph_.set_outputs(std::move(edges));
  if (error_.ok()) {
    error_ = status;
  }
}

Status Pipeline::build() {
  FOREBAY_RETURN_IF_ERROR(error_);
  if (session_ != nullptr) {
    return ok_status();
  }
  PlanOptions plan_options;
  plan_options.batch_size = options_.batch_size;
  plan_options.seed = options_.seed;
  plan_options.fuse = options_.fuse;
  FOREBAY_ASSIGN_OR_RETURN(auto plan, Plan::compile(graph_, plan_options));
  SessionOptions session_options;
  session_options.num_threads = options_.num_threads;
  session_options.prefetch_depth = options_.prefetch_queue_depth;
  session_options.on_error = options_.on_error;
  session_options.memory_limit_bytes = options_.memory_limit_bytes;
  FOREBAY_ASSIGN_OR_RETURN(session_, Session::create(std::move(plan), std::move(session_options)));
  return ok_status();
}

Result<Delivery> Pipeline::run() {
  if (session_ == nullptr) {
    return failed_precondition("build() the pipeline before it runs");
  }
  return session_->run();
}

}  // namespace forebay::pipeline
