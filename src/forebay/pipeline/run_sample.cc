// Running samples: each goes through all actions of a step in one go, hot in cache, as one task.
#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/base/trace.h"
#include "forebay/memory/scratch.h"
#include "forebay/operators/sample.h"
#include "forebay/pipeline/action_services.h"
#include "forebay/pipeline/core.h"
#include "forebay/pipeline/device_region.h"

namespace forebay::pipeline {
namespace {

constexpr uint32_t kMaxAttempts = 32;

bool is_true(const tensor::Tensor& predicate) {
  bool result = false;
  if (!predicate.is_valid() || predicate.volume() != 1) {
    return result;
  }
  tensor::visit_dtype(predicate.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = *predicate.view().as<T>();
    if constexpr (std::is_same_v<T, tensor::Float16>) {
      result = static_cast<float>(value) != 0;
    } else {
      result = value != T{};
    }
  });
  return result;
}

// Where the action's input comes from; nowhere if not from a reader.
SampleOrigin origin_of(const SampleJob& job, const Action& action) {
  const bool is_read = action.reader >= 0 && action.reader < static_cast<int>(job.origins.size());
  return is_read ? job.origins[action.reader] : SampleOrigin();
}

}  // namespace

void Session::Core::begin(const BatchRef& batch) {
  {
    std::lock_guard lock(mutex_);
    if (batch->is_complete) {
      return;  // the session was closed meanwhile
    }
    batch->has_begun = true;
    ++running_;  // nobody may take the session for idle before the batch's samples are pushed
  }
  end_where_thrown(batch, [&] { start_step(batch); });
  --running_;
  wake_parked();
}

// Operators' exceptions are errors of their samples. What is thrown elsewhere, for want of memory, ends the
// batch: whoever waits for it is told.
void Session::Core::end_where_thrown(const BatchRef& batch, absl::FunctionRef<void()> body) {
  const Status status = caught([&] {
    body();
    return ok_status();
  });
  if (!status.ok()) {
    complete(batch, status);
  }
}

// Begins the batch's current step, or finishes the batch when there is none left.
void Session::Core::start_step(const BatchRef& batch) {
  const std::vector<Step>& steps = plan_->phases()[batch->phase].steps;
  if (is_closed_) {
    return complete(batch, cancelled("the session was closed"));
  }
  if (batch->is_end || batch->samples.empty() || !batch->error.ok()) {
    return complete(batch, batch->error);
  }
  if (batch->step < steps.size() && step_of(*batch).kind != StepKind::kSample) {
    return run_barrier(batch);
  }
  if (batch->step >= steps.size()) {
    return complete(batch, ok_status());
  }
  const int count = static_cast<int>(batch->samples.size());
  batch->remaining = count;
  running_ += count;
  for (int index = 0; index < count; ++index) {
    batch->samples[index].next_action = 0;
    push_sample(batch, index);
  }
}

void Session::Core::push_sample(const BatchRef& batch, int index) {
  engine::TaskOptions task;
  task.name = "sample";
  task.order = static_cast<uint64_t>(batch->samples[index].identity.stream_index) + 1;
  const Status pushed = engine_->push(lane_, task, [self = shared_from_this(), batch, index]() -> Status {
    self->end_where_thrown(batch, [&] { self->advance(batch, index); });
    return ok_status();
  });
  if (!pushed.ok()) {
    complete(batch, pushed);
  }
}

void Session::Core::advance(const BatchRef& batch, int index) {
  if (is_closed_ || !run_actions(batch, index)) {
    return;
  }
  SampleJob& job = batch->samples[index];
  const Phase& phase = plan_->phases()[batch->phase];
  if (job.device != nullptr && job.error.ok()) {
    const DeviceEnd end = job.device->finish();
    if (!end.status.ok()) {
      const Action& failed = end.action != nullptr ? *end.action : step_of(*batch).actions.back();
      if (!fail(batch, index, failed, end.status)) {
        return push_sample(batch, index);
      }
    }
  }
  if (batch->step + 1 >= phase.steps.size() && phase.expand >= 0 && job.error.ok()) {
    const Status status = caught([&] { return expand(batch, index); });
    if (!status.ok()) {
      job.error = describe(*batch, index, plan_->expands()[phase.expand], status);
    }
  }
  finish_sample(batch, index);
}

// True when the sample has come to the step's end, or broke; false when another task will go on with it.
bool Session::Core::run_actions(const BatchRef& batch, int index) {
  SampleJob& job = batch->samples[index];
  const std::vector<Action>& actions = step_of(*batch).actions;
  while (job.error.ok() && job.next_action < actions.size()) {
    const Action& action = actions[job.next_action];
    const auto progress = caught([&] { return take_action(batch, index, action); });
    if (is_memory_refusal(progress.status())) {
      if (park(batch, index)) {
        return false;
      }
      fail(batch, index, action, final_refusal(progress.status(), gate_.budget().limit_bytes()));
      continue;
    }
    if (!progress.ok()) {
      fail(batch, index, action, progress.status());
      continue;
    }
    if (*progress == ReadProgress::kUnderWay) {
      return false;  // the read's completion goes on
    }
    for (const int value : action.dead_after) {
      job.values[value] = {};
    }
    ++job.next_action;
  }
  return true;
}

Result<Session::Core::ReadProgress> Session::Core::take_action(const BatchRef& batch, int index,
                                                               const Action& action) {
  if (action.op != nullptr && action.op->scope() == operators::Scope::kSource) {
    return read(batch, index, action);
  }
  FOREBAY_RETURN_IF_ERROR(run_action(batch, index, action));
  return ReadProgress::kThere;
}

bool Session::Core::guards_hold(const SampleJob& job, const Action& action) const {
  for (const auto& [value, wanted] : action.guards) {
    const tensor::Tensor& predicate = job.values[value];
    if (!predicate.is_valid() || is_true(predicate) != wanted) {
      return false;
    }
  }
  // What a branch that did not run would have given is not there; what depends on it is not run either.
  for (const int value : action.inputs) {
    if (!job.values[value].is_valid() && !action.is_merge) {
      return false;
    }
  }
  return true;
}

Status Session::Core::run_action(const BatchRef& batch, int index, const Action& action) {
  const SampleJob& job = batch->samples[index];
  if (!guards_hold(job, action)) {
    return ok_status();
  }
  const int64_t begin_ns = now_ns();
  const Status status = caught([&] { return run_operator(batch, index, action); });
  if (action.is_merge && status.ok()) {
    note_merged(&batch->samples[index], action);
  }
  const int64_t end_ns = now_ns();
  ActionTimes& times = times_of(action);
  times.time_ns.fetch_add(end_ns - begin_ns, std::memory_order_relaxed);
  times.count.fetch_add(1, std::memory_order_relaxed);
  if (Trace& trace = process_trace(); trace.is_on()) {
    trace.record("operator", action.name, begin_ns, end_ns,
                 fmt::format(R"({{"position":{},"epoch":{}}})", job.identity.position, job.identity.epoch));
  }
  return status;
}

void Session::Core::note_merged(SampleJob* job, const Action& action) {
  job->merged.emplace_back(action.node, kind_of(job->values[action.outputs[0]]));
}

Status Session::Core::run_operator(const BatchRef& batch, int index, const Action& action) {
  if (action.placement != Placement::kHost) {
    return run_on_device(batch, index, action);
  }
  SampleJob& job = batch->samples[index];
  FOREBAY_RETURN_IF_ERROR(wait_for_inputs(job, action));
  ActionTensors tensors(job.values, action);
  ActionServices services(this, batch.get(), index, action);
  const uint64_t key =
      random_key(action.seed, static_cast<uint64_t>(job.identity.epoch), action.operator_key);
  operators::SampleIdentity identity;
  if (action.needs_origin) {
    identity = job.identity;
    identity.origin = origin_of(job, action);
  }
  operators::Sample sample(action.needs_origin ? identity : job.identity, key, tensors.inputs,
                           tensors.arguments, tensors.outputs, services);
  const memory::ScratchScope scratch(gate_.scratch());
  FOREBAY_RETURN_IF_ERROR(action.op->run(sample));
  for (size_t output = 0; output < action.outputs.size(); ++output) {
    if (!tensors.outputs[output].is_valid()) {
      return internal_error("the operator gave no output {}", output);
    }
    job.values[action.outputs[output]] = std::move(tensors.outputs[output]);
  }
  return ok_status();
}

Status Session::Core::expand(const BatchRef& batch, int index) {
  const Action& action = plan_->expands()[plan_->phases()[batch->phase].expand];
  SampleJob& job = batch->samples[index];
  job.expanded.clear();
  if (!guards_hold(job, action)) {
    return ok_status();
  }
  ActionTensors tensors(job.values, action);
  ActionServices services(this, batch.get(), index, action);
  const uint64_t key =
      random_key(action.seed, static_cast<uint64_t>(job.identity.epoch), action.operator_key);
  operators::SampleIdentity identity = job.identity;
  operators::Sample sample(identity, key, tensors.inputs, tensors.arguments, tensors.outputs, services);
  const memory::ScratchScope scratch(gate_.scratch());
  FOREBAY_ASSIGN_OR_RETURN(const int64_t count, action.op->expand_count(sample));
  for (int64_t copy = 0; copy < count; ++copy) {
    identity.sub_position = static_cast<uint32_t>(copy);
    FOREBAY_RETURN_IF_ERROR(action.op->run(sample));
    std::vector<tensor::Tensor> values(plan_->num_values());
    for (size_t output = 0; output < action.outputs.size(); ++output) {
      values[action.outputs[output]] = std::exchange(tensors.outputs[output], {});
    }
    job.expanded.push_back(std::move(values));
  }
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
  return ok_status();
}

Status Session::Core::describe(const BatchJob& batch, int index, const Action& action,
                               const Status& status) const {
  const SampleJob& job = batch.samples[index];
  ErrorContext context;
  context.epoch = job.identity.epoch;
  context.position = job.identity.position;
  context.sample_index = job.identity.sample_index;
  if (action.reader > 0) {
    context.sample_index = static_cast<int64_t>(index_to_read(job, readers_[action.reader]));
  }
  context.origin = origin_of(job, action);
  context.operator_name = action.name;
  return with_context(status, context);
}

bool Session::Core::fail(const BatchRef& batch, int index, const Action& action, const Status& status) {
  SampleJob& job = batch->samples[index];
  const Status described = describe(*batch, index, action, status);
  if (options_.on_error == OnError::kReplace && replace(batch.get(), index)) {
    job.faults.push_back({described, fmt::format("replaced by index {}", job.identity.sample_index)});
    return false;
  }
  job.error = described;
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
  return true;
}

// Draws another sample for the place of a broken one. Only a sample that comes straight from a reader can be
// drawn again; after a barrier others depend on it.
bool Session::Core::replace(BatchJob* batch, int index) {
  SampleJob& job = batch->samples[index];
  if (readers_.empty() || batch->phase != 0 || batch->step != 0 || job.identity.attempt >= kMaxAttempts) {
    return false;
  }
  ++job.identity.attempt;
  job.identity.sample_index = static_cast<int64_t>(index_to_read(job, readers_[0]));
  job.identity.origin = {};
  job.origins.clear();
  job.is_replacement = true;
  job.next_action = 0;
  job.error = ok_status();
  job.merged.clear();
  std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
  return true;
}

void Session::Core::finish_sample(const BatchRef& batch, int index) {
  end_forced(batch, index);
  --running_;
  if (batch->remaining.fetch_sub(1) == 1) {
    finish_step(batch);
  }
  wake_parked();
}

void Session::Core::finish_step(const BatchRef& batch) {
  const bool is_empty =
      std::ranges::all_of(batch->samples, [](const SampleJob& job) { return !job.error.ok(); });
  if (is_empty && options_.on_error == OnError::kSkip) {
    // A rank's batch is never empty: one replacement stands in for the first.
    SampleJob& job = batch->samples[0];
    const Status broken = job.error;
    if (replace(batch.get(), 0)) {
      job.faults.push_back({broken, fmt::format("replaced by index {}", job.identity.sample_index)});
      batch->remaining = 1;
      ++running_;
      return push_sample(batch, 0);
    }
  }
  ++batch->step;
  start_step(batch);
}

void Session::Core::complete(const BatchRef& batch, Status status) {
  Starts starts;
  engine::Completion done;
  {
    std::lock_guard lock(mutex_);
    if (batch->is_complete) {
      return;
    }
    batch->is_complete = true;
    done = std::move(batch->done);
    if (batch->error.ok()) {
      batch->error = status;
    }
    if (!is_last(batch->phase)) {
      pump(&starts);
    }
  }
  if (!is_closed_) {
    pass_turns_to_come(batch);
  }
  if (done) {
    done.complete(first_error(*batch));
  }
  start(starts);
}

int Session::Core::output_slot(int phase, int value) const {
  if (!is_last(phase)) {
    return -1;
  }
  const auto found = std::ranges::find(plan_->outputs(), value);
  return found == plan_->outputs().end() ? -1 : static_cast<int>(found - plan_->outputs().begin());
}

}  // namespace forebay::pipeline
