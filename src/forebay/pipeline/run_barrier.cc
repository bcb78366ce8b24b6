// Barriers: feeds and host functions on the Python executor, operators of batch scope on a worker.
#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/base/end_of_data.h"
#include "forebay/pipeline/action_services.h"
#include "forebay/pipeline/core.h"

namespace forebay::pipeline {

// A feed may wait for its user, who may wait for a batch: it keeps nobody from being woken.
bool Session::Core::counts_as_running(const Step& barrier) const {
  return barrier.kind != StepKind::kFeed;
}

void Session::Core::run_barrier(const BatchRef& batch) {
  const Step& step = step_of(*batch);
  if (runs_python(step) && !take_turn(batch)) {
    return;  // until the batch before it has passed the turn on
  }
  engine::TaskOptions task;
  task.name = step.actions[0].name;
  task.order = static_cast<uint64_t>(batch->stream_begin) + 1;
  if (runs_python(step)) {
    task.executor = python_;
  }
  const int running = counts_as_running(step) ? 1 : 0;
  running_ += running;
  const Status pushed = engine_->push(lane_, task, [self = shared_from_this(), batch, running]() -> Status {
    if (self->is_closed_) {
      return ok_status();
    }
    self->end_where_thrown(batch, [&] { self->pass_barrier(batch, running); });
    return ok_status();
  });
  if (!pushed.ok()) {
    running_ -= running;
    complete(batch, pushed);
  }
}

void Session::Core::pass_barrier(const BatchRef& batch, int running) {
  const Step& step = step_of(*batch);
  const int64_t begin_ns = now_ns();
  Status status = caught([&] { return work_of(batch, step); });
  ActionTimes& times = times_of(step.actions[0]);
  times.time_ns += now_ns() - begin_ns;
  times.count += 1;
  if (is_memory_refusal(status)) {
    if (park(batch, -1)) {
      return;
    }
    status = final_refusal(status, gate_.budget().limit_bytes());
  }
  end_forced(batch, -1);
  pass_turn(batch, step);
  if (!status.ok()) {
    ErrorContext context;
    context.operator_name = step.actions[0].name;
    batch->error = with_context(status, context);
  }
  ++batch->step;
  start_step(batch);
  running_ -= running;
  wake_parked();
}

Status Session::Core::work_of(const BatchRef& batch, const Step& barrier) {
  switch (barrier.kind) {
    case StepKind::kFeed:
      return run_feeds(batch);
    case StepKind::kBatch:
      return run_batch_operator(batch);
    case StepKind::kFunction:
      return run_function(batch);
    case StepKind::kSample:
      break;
  }
  return internal_error("samples pass no barrier");
}

bool Session::Core::take_turn(const BatchRef& batch) {
  std::lock_guard lock(mutex_);
  return turns_.at(&step_of(*batch)).take(batch);
}

void Session::Core::pass_turn(const BatchRef& batch, const Step& step) {
  BatchRef next;
  {
    std::lock_guard lock(mutex_);
    const auto turns = turns_.find(&step);
    next = turns == turns_.end() ? nullptr : turns->second.pass(batch->iteration);
  }
  if (next != nullptr) {
    start_step(next);
  }
}

// Of a batch that ends before its last step.
void Session::Core::pass_turns_to_come(const BatchRef& batch) {
  const std::vector<Step>& steps = plan_->phases()[batch->phase].steps;
  for (size_t step = batch->step; step < steps.size(); ++step) {
    pass_turn(batch, steps[step]);
  }
}

Status Session::Core::run_feeds(const BatchRef& batch) {
  FeedRequest request;
  {
    std::lock_guard lock(mutex_);
    batch->is_end = streams_[0].has_ended || batch->is_past_end;
    request = feed_next_;
    batch->feed_after = request;
  }
  if (batch->is_end) {
    return ok_status();
  }
  std::optional<size_t> count;
  for (const Action& action : step_of(*batch).actions) {
    auto outputs = options_.feeds.at(action.node)->next(request);
    if (is_end_of_data(outputs.status())) {
      std::lock_guard lock(mutex_);
      streams_[0].has_ended = true;
      feeds_end_ = batch->stream_begin;
      batch->is_end = true;
      return ok_status();
    }
    FOREBAY_RETURN_IF_ERROR(annotate(outputs.status(), action.name));
    if (outputs->size() != action.outputs.size()) {
      return invalid_argument("{}: {} outputs were given, {} expected", action.name, outputs->size(),
                              action.outputs.size());
    }
    for (size_t output = 0; output < outputs->size(); ++output) {
      const std::vector<tensor::Tensor>& samples = (*outputs)[output];
      if (samples.empty() || samples.size() > static_cast<size_t>(plan_->options().batch_size)) {
        return invalid_argument("{}: a batch of {} samples was given; from 1 to batch_size={} are expected",
                                action.name, samples.size(), plan_->options().batch_size);
      }
      if (count.value_or(samples.size()) != samples.size()) {
        return invalid_argument("{}: {} samples were given where another output has {}", action.name,
                                samples.size(), *count);
      }
      count = samples.size();
      FOREBAY_RETURN_IF_ERROR(annotate(check_one_kind(samples), action.name));
      for (size_t i = 0; i < samples.size(); ++i) {
        batch->samples[i].values[action.outputs[output]] = samples[i];
      }
    }
  }
  if (readers_.empty()) {
    for (size_t i = 0; i < *count; ++i) {
      batch->samples[i].identity.epoch = request.epoch;
      batch->samples[i].identity.position = request.position + static_cast<int64_t>(i);
    }
  }
  batch->samples.resize(*count);
  std::lock_guard lock(mutex_);
  ++feed_next_.iteration;
  feed_next_.position += static_cast<int64_t>(*count);
  batch->feed_after = feed_next_;
  return ok_status();
}

std::vector<int> Session::Core::active_samples(const BatchJob& batch, const Action& action) const {
  std::vector<int> active;
  for (int index = 0; index < static_cast<int>(batch.samples.size()); ++index) {
    if (batch.samples[index].error.ok() && guards_hold(batch.samples[index], action)) {
      active.push_back(index);
    }
  }
  return active;
}

Status Session::Core::run_batch_operator(const BatchRef& batch) {
  const Action& action = step_of(*batch).actions[0];
  const std::vector<int> active = active_samples(*batch, action);
  std::deque<ActionTensors> tensors;
  std::deque<ActionServices> services;
  std::vector<operators::Sample> samples;
  for (const int index : active) {
    SampleJob& job = batch->samples[index];
    tensors.emplace_back(job.values, action);
    services.emplace_back(this, batch.get(), index, action);
    const uint64_t key =
        random_key(action.seed, static_cast<uint64_t>(job.identity.epoch), action.operator_key);
    samples.emplace_back(job.identity, key, tensors.back().inputs, tensors.back().arguments,
                         tensors.back().outputs, services.back());
  }
  FOREBAY_RETURN_IF_ERROR(action.op->run_batch(samples));
  for (size_t i = 0; i < active.size(); ++i) {
    SampleJob& job = batch->samples[active[i]];
    for (size_t output = 0; output < action.outputs.size(); ++output) {
      job.values[action.outputs[output]] = std::move(tensors[i].outputs[output]);
    }
    for (const int value : action.dead_after) {
      job.values[value] = {};
    }
  }
  return ok_status();
}

Status Session::Core::check_results(const std::vector<FunctionSample>& samples, const Action& action) {
  std::vector<std::vector<std::pair<int, SampleKind>>> kinds(action.outputs.size());
  for (const FunctionSample& sample : samples) {
    if (!sample.status.ok()) {
      continue;
    }
    if (sample.outputs.size() != kinds.size()) {
      return invalid_argument("the function gave {} outputs, {} expected", sample.outputs.size(),
                              kinds.size());
    }
    for (size_t output = 0; output < kinds.size(); ++output) {
      kinds[output].emplace_back(sample.identity.index_in_batch, kind_of(sample.outputs[output]));
    }
  }
  for (const auto& of_output : kinds) {
    FOREBAY_RETURN_IF_ERROR(check_one_kind(of_output));
  }
  return ok_status();
}

Status Session::Core::run_function(const BatchRef& batch) {
  const Action& action = step_of(*batch).actions[0];
  const auto function = options_.functions.find(action.node);
  if (function == options_.functions.end()) {
    return failed_precondition("the function of '{}' is not there: a loaded graph needs it given again",
                               action.name);
  }
  const std::vector<int> active = active_samples(*batch, action);
  if (active.empty()) {
    return ok_status();
  }
  std::vector<FunctionSample> samples;
  for (const int index : active) {
    const SampleJob& job = batch->samples[index];
    ActionTensors tensors(job.values, action);
    samples.push_back({job.identity, std::move(tensors.inputs), std::move(tensors.outputs), ok_status()});
  }
  FOREBAY_RETURN_IF_ERROR(function->second->run(samples));
  FOREBAY_RETURN_IF_ERROR(check_results(samples, action));
  for (size_t i = 0; i < active.size(); ++i) {
    SampleJob& job = batch->samples[active[i]];
    if (!samples[i].status.ok()) {
      fail(batch, active[i], action, samples[i].status);
      continue;
    }
    for (size_t output = 0; output < action.outputs.size(); ++output) {
      job.values[action.outputs[output]] = std::move(samples[i].outputs[output]);
    }
  }
  return ok_status();
}

}  // namespace forebay::pipeline
