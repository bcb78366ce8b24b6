#include "forebay/pipeline/pipeline.h"

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

}  // namespace

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

}  // namespace forebay::pipeline
