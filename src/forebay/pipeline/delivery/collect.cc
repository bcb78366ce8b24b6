#include "forebay/pipeline/delivery/collect.h"

#include <map>

namespace forebay::pipeline {
namespace {

Result<std::vector<tensor::Batch>> gather(const Plan& plan, const BatchJob& batch) {
  std::vector<tensor::Batch> outputs;
  for (const int value : plan.outputs()) {
    std::vector<tensor::Tensor> samples;
    for (const SampleJob& job : batch.samples) {
      if (!job.error.ok()) {
        continue;
      }
      const tensor::Tensor& sample = job.values[value];
      if (!sample.is_valid()) {
        return invalid_argument(
            "output {} has no value at position {}: it comes from a branch that did not run; "
            "give it a value in both branches",
            outputs.size(), job.identity.position);
      }
      FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor given, writable(sample));
      given.buffer()->reservation().hand_to_user();
      samples.push_back(std::move(given));
    }
    outputs.emplace_back(std::move(samples));
  }
  return outputs;
}

Status check_kinds(const Graph& graph, const std::vector<tensor::Batch>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Node& node = graph.nodes()[graph.outputs()[i].node];
    const std::string_view name = node.name.empty() ? node.op : node.name;
    FOREBAY_RETURN_IF_ERROR(
        annotate(check_one_kind(outputs[i].samples()), fmt::format("output {}, of '{}'", i, name)));
  }
  return ok_status();
}

Status check_promises(const Graph& graph, const std::vector<tensor::Batch>& outputs) {
  const std::vector<OutputPromise>& promises = graph.promises();
  for (size_t i = 0; i < promises.size(); ++i) {
    for (const tensor::Tensor& sample : outputs[i].samples()) {
      if (promises[i].dtype && sample.dtype() != *promises[i].dtype) {
        return failed_precondition("output {} was promised as {} and is {}", i,
                                   tensor::name_of(*promises[i].dtype), tensor::name_of(sample.dtype()));
      }
      if (promises[i].ndim && sample.shape().rank() != *promises[i].ndim) {
        return failed_precondition("output {} was promised with {} dimensions and has {}", i,
                                   *promises[i].ndim, sample.shape().rank());
      }
      if (!promises[i].layout.empty() && sample.layout().view() != promises[i].layout) {
        return failed_precondition("output {} was promised with the layout '{}' and has '{}'", i,
                                   promises[i].layout, sample.layout().view());
      }
    }
  }
  return ok_status();
}

}  // namespace

Status check_merges(const Plan& plan, const BatchJob& batch) {
  std::map<int, std::vector<std::pair<int, SampleKind>>> kinds;  // by node
  for (const SampleJob& job : batch.samples) {
    for (const auto& [node, kind] : job.merged) {
      kinds[node].emplace_back(job.identity.index_in_batch, kind);
    }
  }
  for (const auto& [node, given] : kinds) {
    const Status status = check_one_kind(given);
    if (!status.ok()) {
      const auto* const name = plan.graph().nodes()[node].constant<std::string>("variable");
      return annotate(status, fmt::format("the branches of an `if` give {} different kinds of values",
                                          name == nullptr ? "" : *name));
    }
  }
  return ok_status();
}

Result<tensor::Tensor> writable(const tensor::Tensor& tensor) {
  if (!tensor.buffer()->is_read_only()) {
    return tensor;
  }
  return tensor::Tensor::copy_of_bytes(tensor.bytes(), tensor.spec());
}

Result<std::vector<tensor::Batch>> collect_outputs(const Plan& plan, const BatchJob& batch) {
  FOREBAY_ASSIGN_OR_RETURN(auto outputs, gather(plan, batch));
  FOREBAY_RETURN_IF_ERROR(check_kinds(plan.graph(), outputs));
  FOREBAY_RETURN_IF_ERROR(check_promises(plan.graph(), outputs));
  return outputs;
}

}  // namespace forebay::pipeline
