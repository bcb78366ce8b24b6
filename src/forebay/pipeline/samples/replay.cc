// One sample again: the graph's sample steps, run for it alone on the calling thread, which waits for the
// device. Its place in the stream says what each reader gave, and the error policy what stood in for it, so
// the bits are the delivered ones.
#include <optional>

#include "forebay/base/caught.h"
#include "forebay/pipeline/samples/device_work.h"
#include "forebay/pipeline/samples/sample_runner.h"

namespace forebay::pipeline {

Result<operators::SampleIdentity> SampleRunner::identity_at(int64_t epoch, int64_t position) const {
  constexpr int64_t kLastEpoch = int64_t{1} << 31;
  const dataset::Order& order = readers_[0].order();
  if (epoch < 0 || epoch > kLastEpoch || position < 0 ||
      !order.has_position(static_cast<uint64_t>(epoch), static_cast<uint64_t>(position))) {
    return out_of_range("there is no position {} in epoch {}: an epoch has {} samples", position, epoch,
                        order.options().dataset_size);
  }
  const auto place = order.find(static_cast<uint64_t>(epoch), static_cast<uint64_t>(position));
  if (!place && readers_.size() > 1) {
    return out_of_range(
        "position {} of epoch {} is not in this rank's shard: what the other readers gave beside it is known "
        "only there",
        position, epoch);
  }
  operators::SampleIdentity identity;
  identity.epoch = epoch;
  identity.position = position;
  identity.stream_index = place ? static_cast<int64_t>(*place) : kNotInStream;
  identity.sample_index =
      readers_[0].shown_index(order.index_at(static_cast<uint64_t>(epoch), static_cast<uint64_t>(position)));
  return identity;
}

Result<std::vector<tensor::Tensor>> SampleRunner::replay(int64_t epoch, int64_t position,
                                                         DeviceRun run_device) {
  if (readers_.empty()) {
    return failed_precondition("only samples of a reader can be replayed; this pipeline has none");
  }
  for (const Phase& phase : plan_.phases()) {
    for (const Step& step : phase.steps) {
      if (runs_python(step)) {
        return failed_precondition(
            "'{}' runs code of yours on the stream, so single samples cannot be replayed",
            step.actions[0].name);
      }
      if (!flows(step)) {
        return failed_precondition("'{}' needs a whole batch, so single samples cannot be replayed",
                                   step.actions[0].name);
      }
    }
  }
  const auto batch = std::make_shared<BatchJob>(1, plan_.num_values(), plan_.outputs().size());
  SampleJob& job = batch->samples[0];
  FOREBAY_ASSIGN_OR_RETURN(job.identity, identity_at(epoch, position));
  for (size_t phase = 0; phase < plan_.phases().size(); ++phase) {
    batch->phase = static_cast<int>(phase);
    const std::vector<Step>& steps = plan_.phases()[phase].steps;
    job.step = 0;
    job.next_action = 0;
    while (job.step < steps.size()) {
      FOREBAY_RETURN_IF_ERROR(replay_step(batch, run_device));
    }
    if (plan_.phases()[phase].expand >= 0) {
      FOREBAY_RETURN_IF_ERROR(replay_expand(batch.get()));
    }
  }
  std::vector<tensor::Tensor> outputs;
  for (const int value : plan_.outputs()) {
    outputs.push_back(job.values[value]);
  }
  return outputs;
}

Status SampleRunner::replay_step(const BatchRef& batch, DeviceRun run_device) {
  SampleJob& job = batch->samples[0];
  while (job.error.ok() && job.next_action < step_of(*batch, 0).actions.size()) {
    DeviceEnd end{&step_of(*batch, 0).actions[job.next_action], ok_status()};
    if (is_for_device(job, *end.action)) {
      FOREBAY_ASSIGN_OR_RETURN(end, replay_on_device(batch, run_device));
    } else {
      end.status = caught([&] { return replay_action(batch.get(), *end.action); });
      job.next_action += end.status.ok() ? 1 : 0;
    }
    if (is_memory_refusal(end.status)) {
      end.status = final_refusal(end.status, gate_.budget().limit_bytes());
    }
    if (!end.status.ok()) {
      fail(batch.get(), 0, *end.action, end.status);
    }
  }
  ++job.step;
  job.next_action = 0;
  return job.error;
}

// After a failed wait the task may still be using the sample, so it is not touched.
Result<DeviceEnd> SampleRunner::replay_on_device(const BatchRef& batch, DeviceRun run_device) const {
  const SampleJob& job = batch->samples[0];
  const Action& first = step_of(*batch, 0).actions[job.next_action];
  const Status passed = run_device(batch);
  FOREBAY_RETURN_IF_ERROR(passed.ok() ? ok_status() : describe(job, first, passed));
  return end_on_device(batch.get(), 0, passed);
}

Status SampleRunner::replay_action(BatchJob* batch, const Action& action) {
  if (!is_source(action)) {
    return run_action(batch, 0, action);
  }
  const OpenReader& reader = reader_of(action);
  const auto index = static_cast<int64_t>(index_to_read(batch->samples[0], reader));
  FOREBAY_ASSIGN_OR_RETURN(dataset::Record record,
                           dataset::read_now(*reader.source, index, {.context = reads_.context_of_waiter()}));
  return take_record(batch, 0, action, std::move(record));
}

Status SampleRunner::replay_expand(BatchJob* batch) {
  const Action& action = plan_.expands()[plan_.phases()[batch->phase].expand];
  SampleJob& job = batch->samples[0];
  const Status status = caught([&] { return count_copies(batch, 0, action); });
  if (!status.ok()) {
    return describe(job, action, status);
  }
  if (job.copies == 0) {
    return not_found("the sample at position {} of epoch {} is not let through by '{}'",
                     job.identity.position, job.identity.epoch, action.name);
  }
  return ok_status();  // the next phase makes the first copy
}

}  // namespace forebay::pipeline
