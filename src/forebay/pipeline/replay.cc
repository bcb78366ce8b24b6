// One sample again: the graph's sample steps, run for it alone on the calling thread. Positions make that
// exact.
#include "forebay/pipeline/core.h"

namespace forebay::pipeline {

Result<std::vector<tensor::Tensor>> Session::Core::replay(int64_t epoch, int64_t position) {
  if (readers_.empty()) {
    return failed_precondition("only samples of a reader can be replayed; this pipeline has none");
  }
  for (const Phase& phase : plan_->phases()) {
    for (const Step& step : phase.steps) {
      if (step.kind != StepKind::kSample) {
        return failed_precondition("'{}' needs a whole batch, so single samples cannot be replayed",
                                   step.actions[0].name);
      }
    }
  }
  const dataset::Order& order = readers_[0].order;
  if (epoch < 0 || position < 0 || position >= static_cast<int64_t>(order.options().dataset_size)) {
    return out_of_range("there is no position {} in epoch {}: an epoch has {} samples", position, epoch,
                        order.options().dataset_size);
  }
  auto batch = std::make_shared<BatchJob>(1, plan_->num_values(), plan_->outputs().size());
  SampleJob& job = batch->samples[0];
  job.identity.epoch = epoch;
  job.identity.position = position;
  job.identity.sample_index =
      static_cast<int64_t>(order.index_at(static_cast<uint64_t>(epoch), static_cast<uint64_t>(position)));
  for (size_t phase = 0; phase < plan_->phases().size(); ++phase) {
    batch->phase = static_cast<int>(phase);
    for (const Step& step : plan_->phases()[phase].steps) {
      FOREBAY_RETURN_IF_ERROR(replay_step(batch, step));
    }
    batch->step = plan_->phases()[phase].steps.size();
    if (plan_->phases()[phase].expand >= 0) {
      FOREBAY_RETURN_IF_ERROR(expand(batch, 0));
      if (job.expanded.empty()) {
        return not_found("the sample at position {} of epoch {} is not let through by '{}'", position, epoch,
                         plan_->expands()[plan_->phases()[phase].expand].name);
      }
      job.values = std::move(job.expanded[0]);
    }
  }
  std::vector<tensor::Tensor> outputs;
  for (const int value : plan_->outputs()) {
    outputs.push_back(job.values[value]);
  }
  return outputs;
}

Status Session::Core::replay_step(const BatchRef& batch, const Step& step) {
  SampleJob& job = batch->samples[0];
  for (const Action& action : step.actions) {
    Status status;
    if (action.op->scope() == operators::Scope::kSource) {
      const OpenReader& reader = reader_of(action);
      const uint64_t index = reader.order.index_at(job.identity.epoch, job.identity.position);
      auto record = dataset::read_now(*reader.source, static_cast<int64_t>(index));
      status = record.ok() ? take_record(batch, 0, action, *std::move(record)) : record.status();
    } else {
      status = run_action(batch, 0, action);
    }
    if (!status.ok()) {
      return describe(*batch, 0, action, status);
    }
  }
  return ok_status();
}

}  // namespace forebay::pipeline
