#include "forebay/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace forebay::pipeline {
namespace {

class CalledFeed final : public ExternalFeed {
 public:
  explicit CalledFeed(Pipeline::FeedFunction function) : function_(std::move(function)) {}
  Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest& request) override {
    return function_(request);
  }

 private:
  const Pipeline::FeedFunction function_;
};

/// So many nodes let an expression continue whose operator could not be added; build() returns the error.
constexpr int kAnyOutputs = 16;

std::string_view operator_of(const DataNode& node) {
  const std::vector<Node>& nodes = node.pipeline()->graph().nodes();
  const auto number = static_cast<size_t>(node.edge().node);
  return number < nodes.size() ? std::string_view(nodes[number].op) : "an operator that is not there";
}

}  // namespace

std::vector<DataNode> Pipeline::add(std::string_view op, const std::vector<DataNode>& inputs,
                                    const std::vector<std::pair<std::string, Argument>>& arguments,
                                    std::string name) {
  const Result<int> added = add_to_graph(op, inputs, arguments, std::move(name));
  if (!added.ok()) {
    if (error_.ok()) {
      error_ = added.status();
    }
    return std::vector<DataNode>(kAnyOutputs, DataNode(this, {}));
  }
  std::vector<DataNode> outputs;
  for (int output = 0; output < graph_.nodes()[*added].num_outputs; ++output) {
    outputs.emplace_back(this, Edge{*added, output});
  }
  return outputs;
}

Result<int> Pipeline::add_to_graph(std::string_view op, const std::vector<DataNode>& inputs,
                                   const std::vector<std::pair<std::string, Argument>>& arguments,
                                   std::string name) {
  Node node;
  node.op = op;
  node.name = std::move(name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Result<Edge> edge = edge_of(inputs[i]);
    FOREBAY_RETURN_IF_ERROR(annotate(edge.status(), fmt::format("{}: input {}", op, i)));
    node.inputs.push_back(*edge);
  }
  for (const auto& [argument_name, argument] : arguments) {
    if (argument.is_node()) {
      const Result<Edge> edge = edge_of(argument.node());
      FOREBAY_RETURN_IF_ERROR(annotate(edge.status(), fmt::format("{}: argument '{}'", op, argument_name)));
      node.tensors.emplace(argument_name, *edge);
    } else if (!std::holds_alternative<std::monostate>(argument.value())) {
      node.constants.emplace(argument_name, argument.value());
    }
  }
  return graph_.add(std::move(node));
}

Result<Edge> Pipeline::edge_of(const DataNode& node) const {
  if (node.pipeline() == this) {
    return node.edge();
  }
  if (!node.maker().empty()) {
    return invalid_argument("it comes from '{}', whose inputs are all of no pipeline, as a DataNode() is",
                            node.maker());
  }
  if (node.pipeline() == nullptr) {
    return invalid_argument(
        "it is a DataNode(), which is of no pipeline: give what an operator has returned");
  }
  return invalid_argument(
      "it is an output of '{}' in another pipeline: each pipeline needs operators of its own",
      operator_of(node));
}

std::vector<DataNode> Pipeline::external_source(std::shared_ptr<ExternalFeed> feed, int num_outputs,
                                                std::string name) {
  std::vector<DataNode> outputs = add(kExternalSource, {}, {{"num_outputs", num_outputs}}, std::move(name));
  if (feed == nullptr && error_.ok()) {
    error_ = invalid_argument("external_source: there is no feed");
  }
  if (error_.ok() && !outputs.empty()) {
    feeds_.emplace(outputs.front().edge().node, std::move(feed));
  }
  return outputs;
}

std::vector<DataNode> Pipeline::external_source(FeedFunction feed, int num_outputs, std::string name) {
  std::shared_ptr<ExternalFeed> called = feed ? std::make_shared<CalledFeed>(std::move(feed)) : nullptr;
  return external_source(std::move(called), num_outputs, std::move(name));
}

void Pipeline::set_outputs(const std::vector<DataNode>& outputs) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < outputs.size() && error_.ok(); ++i) {
    const Result<Edge> edge = edge_of(outputs[i]);
    error_ = annotate(edge.status(), fmt::format("output {} of the pipeline", i));
    edges.push_back(edge.ok() ? *edge : Edge());
  }
  if (error_.ok()) {
    error_ = graph_.set_outputs(std::move(edges));
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
  session_options.feeds = feeds_;
  FOREBAY_ASSIGN_OR_RETURN(session_, Session::create(std::move(plan), std::move(session_options)));
  return ok_status();
}

Result<Delivery> Pipeline::run() {
  if (session_ == nullptr) {
    return failed_precondition("build() the pipeline before it runs");
  }
  return session_->run();
}

Pipeline* pipeline_of(const std::vector<DataNode>& nodes) {
  const auto found =
      std::ranges::find_if(nodes, [](const DataNode& node) { return node.pipeline() != nullptr; });
  return found == nodes.end() ? nullptr : found->pipeline();
}

DataNode without_pipeline(std::string_view op, const std::vector<DataNode>& inputs) {
  const auto found = std::ranges::find_if(inputs, [](const DataNode& node) { return node.is_given(); });
  return found == inputs.end() ? DataNode::without_pipeline(op) : *found;
}

std::vector<DataNode> add_operator(std::string_view op, const std::vector<DataNode>& inputs,
                                   const std::vector<std::pair<std::string, Argument>>& arguments,
                                   std::string name) {
  Pipeline* const pipeline = pipeline_of(inputs);
  if (pipeline == nullptr) {
    return std::vector<DataNode>(kAnyOutputs, without_pipeline(op, inputs));
  }
  return pipeline->add(op, inputs, arguments, std::move(name));
}

}  // namespace forebay::pipeline
