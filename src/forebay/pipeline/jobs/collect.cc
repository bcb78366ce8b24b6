#include "forebay/pipeline/jobs/collect.h"

#include <map>
#include <span>
#include <vector>

namespace forebay::pipeline {
namespace {

/// The end of the samples, from `begin` on, that lie one after the other in one buffer.
size_t end_of_run(std::span<const tensor::Tensor> samples, size_t begin) {
  size_t end = begin + 1;
  while (end < samples.size() && samples[end].buffer() == samples[begin].buffer() &&
         samples[end].offset_bytes() == samples[end - 1].offset_bytes() + samples[end - 1].size_bytes()) {
    ++end;
  }
  return end;
}

/// Copies what is read-only; samples that lie together still do.
Status make_writable(std::vector<tensor::Tensor>& samples) {
  for (size_t begin = 0; begin < samples.size();) {
    const size_t end = end_of_run(samples, begin);
    if (!samples[begin].buffer()->is_read_only()) {
      begin = end;
      continue;
    }
    const size_t first = samples[begin].offset_bytes();
    const size_t bytes = samples[end - 1].offset_bytes() + samples[end - 1].size_bytes() - first;
    FOREBAY_ASSIGN_OR_RETURN(
        const tensor::Tensor copy,
        tensor::Tensor::copy_of_bytes(
            {static_cast<const std::byte*>(samples[begin].data()), bytes},
            {tensor::Shape{static_cast<int64_t>(bytes)}, tensor::DType::kUint8, tensor::Layout()}));
    for (; begin < end; ++begin) {
      samples[begin] =
          tensor::Tensor(copy.buffer(), samples[begin].offset_bytes() - first, samples[begin].spec());
    }
  }
  return ok_status();
}

Result<std::vector<tensor::Batch>> gather(const Plan& plan, const BatchJob& batch) {
  std::vector<tensor::Batch> outputs;
  for (const int value : plan.outputs()) {
    std::vector<tensor::Tensor> samples;
    samples.reserve(batch.samples.size());
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
      samples.push_back(sample);
    }
    FOREBAY_RETURN_IF_ERROR(make_writable(samples));
    for (const tensor::Tensor& sample : samples) {
      sample.buffer()->reservation().hand_to_user();
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
