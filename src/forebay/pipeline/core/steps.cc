// A batch's way through its steps. Its samples flow through sample steps and group steps, each at its own
// pace, up to the next barrier, which one task runs: feeds and functions of the user on the Python executor,
// operators of batch scope on a worker. group_steps.cc has what samples do in groups.
#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/end_of_data.h"
#include "forebay/pipeline/core/core.h"
#include "forebay/pipeline/core/waiting_sessions.h"

namespace forebay::pipeline {
namespace {

constexpr int kBarrier = -1;   // used in place of a sample's index
constexpr int kMaxInTask = 8;  // samples: where each is done in no time, the task is most of what it takes

engine::TaskOptions task_of_begin(const BatchJob& batch) {
  engine::TaskOptions task;
  task.name = "begin";
  task.order = static_cast<uint64_t>(batch.stream_begin) + 1;
  return task;
}

// A feed may wait for its user, who may wait for a batch, so it does not count.
int running_of(const Step& barrier) {
  return barrier.kind == StepKind::kFeed ? 0 : 1;
}

}  // namespace

void Session::Core::start(const Starts& starts) {
  if (!starts.empty()) {
    plan_reads();
  }
  for (const BatchRef& batch : starts) {
    if (runner_.is_growing()) {
      start_when_known(batch, runner_.growing()->source());
      continue;
    }
    const Status pushed = engine_->push(lane_, task_of_begin(*batch), [self = self(), batch] {
      self->begin(batch, ok_status());
      return ok_status();
    });
    if (!pushed.ok()) {
      complete(batch, pushed);
    }
  }
}

// Whoever waits keeps nobody: a session that is given up ends the scan that it waits for.
void Session::Core::start_when_known(const BatchRef& batch, const dataset::GrowingSource& source) {
  const auto begin = [weak = std::weak_ptr(self()), batch](const Status& known) {
    if (const std::shared_ptr<Core> self = weak.lock()) {
      self->begin(batch, known);
    }
    return ok_status();
  };
  const auto start = [begin, engine = engine_, lane = lane_, batch](const Status& known) {
    const Status pushed = caught(
        [&] { return engine->push(lane, task_of_begin(*batch), [begin, known] { return begin(known); }); });
    if (!pushed.ok()) {
      begin(pushed).IgnoreError();  // the batch has it
    }
  };
  source.when_known(batch->stream_end, start);
}

// Where the stream begins is known when the first batch is there; a state can be restored until then.
void Session::Core::plan_reads() {
  if (runner_.is_growing()) {
    return;  // the scan reads ahead, and then there is an index to plan by
  }
  const int64_t ahead = plan_->options().batch_size * int64_t{options_.prefetch_depth};
  const int64_t first = delivered_.position().stream_index;
  // Plans are hints: where there is no memory for them, reading goes on without.
  caught([&] {
    runner_.reads().begin(runner_.readers(), static_cast<uint64_t>(first), static_cast<uint64_t>(ahead));
    return ok_status();
  }).IgnoreError();
}

// `known`: that its samples are, or why they cannot be.
void Session::Core::begin(const BatchRef& batch, const Status& known) {
  schedule_.note_running(1);  // so that the session does not look idle before the batch's samples are pushed
  if (!known.ok()) {
    complete(batch, known);
  } else if (schedule_.begin(batch.get())) {
    end_where_thrown(batch, [&] { start_step(batch); });
  }
  schedule_.note_running(-1);
  wake_parked();
}

// Exceptions from operators are errors of their samples. What is thrown elsewhere, for lack of memory, ends
// the batch, and whoever waits for it is told.
void Session::Core::end_where_thrown(const BatchRef& batch, absl::FunctionRef<void()> body) {
  const Status status = caught([&] {
    body();
    return ok_status();
  });
  if (!status.ok()) {
    complete(batch, status);
  }
}

// Begins the batch's current step, or finishes the batch if none is left.
void Session::Core::start_step(const BatchRef& batch) {
  if (schedule_.is_closed()) {
    return complete(batch, schedule_.reason_of_end());
  }
  const std::vector<Step>& steps = plan_->phases()[batch->phase].steps;
  if (batch->is_end || batch->samples.empty() || !batch->error.ok()) {
    return complete(batch, batch->error);
  }
  if (batch->step >= steps.size()) {
    return complete(batch, ok_status());
  }
  if (!flows(step_of(*batch))) {
    return run_barrier(batch);
  }
  const int count = static_cast<int>(batch->samples.size());
  batch->remaining = count;
  make_groups(batch.get());
  schedule_.note_running(count);
  for (SampleJob& job : batch->samples) {
    job.step = batch->step;
    job.next_action = 0;
  }
  if (step_of(*batch).kind == StepKind::kSample) {
    return push_samples(batch);
  }
  for (int index = 0; index < count; ++index) {
    go_on(batch, index);
  }
}

// Some at a time; fewer towards the end, so that no thread has many left when the others have none.
void Session::Core::push_samples(const BatchRef& batch) {
  const int count = static_cast<int>(batch->samples.size());
  for (int begin = 0; begin < count;) {
    const int end = begin + std::clamp((count - begin) / options_.num_threads, 1, kMaxInTask);
    push_samples(batch, begin, end);
    begin = end;
  }
}

// Of the steps up to the next barrier.
size_t Session::Core::end_of_flow(const BatchJob& batch) const {
  const std::vector<Step>& steps = plan_->phases()[batch.phase].steps;
  size_t end = batch.step;
  while (end < steps.size() && flows(steps[end])) {
    ++end;
  }
  return end;
}

void Session::Core::complete(const BatchRef& batch, const Status& status) {
  Schedule::Completed completed = schedule_.complete(batch.get(), status);
  if (!completed.done) {
    return;  // it was already complete
  }
  if (!schedule_.is_closed()) {
    pass_turns_to_come(*batch);
  }
  completed.done.complete(completed.status);
  start(completed.starts);
}

void Session::Core::push_samples(const BatchRef& batch, int begin, int end) {
  engine::TaskOptions task;
  task.name = "sample";
  task.order = static_cast<uint64_t>(batch->samples[begin].identity.stream_index) + 1;
  const Status pushed = engine_->push(lane_, task, [self = self(), batch, begin, end] {
    for (int index = begin; index < end; ++index) {
      self->end_where_thrown(batch, [&] { self->advance(batch, index); });
    }
    return ok_status();
  });
  if (!pushed.ok()) {
    complete(batch, pushed);
  }
}

void Session::Core::advance(const BatchRef& batch, int index) {
  if (!schedule_.is_closed()) {
    take_outcome(batch, index, runner_.run(batch, index, *this));
  }
}

void Session::Core::take_outcome(const BatchRef& batch, int index, Outcome outcome) {
  for (;; outcome = runner_.run(batch, index, *this)) {
    switch (outcome.kind) {
      case Outcome::Kind::kReading:
        return;  // the read's completion continues
      case Outcome::Kind::kForDevice:
        return push_to_device(batch, index);
      case Outcome::Kind::kGroup:
        return arrive(batch, index);
      case Outcome::Kind::kDone:
        return finish_sample(batch, index);
      case Outcome::Kind::kRefused:
        break;
    }
    if (!runs_after_refusal(batch, index, outcome)) {
      return;
    }
  }
}

// The sample gives its worker back. A device task puts its next actions on the queue, and another task goes
// on with the sample when the engine says that the queue has passed them.
void Session::Core::push_to_device(const BatchRef& batch, int index) {
  const SampleJob& job = batch->samples[index];
  engine::TaskOptions task;
  task.name = "sample";
  task.order = static_cast<uint64_t>(job.identity.stream_index) + 1;
  const auto issue = [self = self(), batch, index] { self->runner_.issue(batch.get(), index); };
  const auto rest = [self = self(), batch, index](const Status& passed) {
    if (!self->schedule_.is_closed()) {
      self->end_where_thrown(batch, [&] {
        self->take_outcome(batch, index, self->runner_.run_after_device(batch, index, passed, *self));
      });
    }
  };
  const Status pushed = device_queues_.launch(lane_, task, runner_.queue_of(job), issue, rest);
  if (!pushed.ok()) {
    complete(batch, pushed);
  }
}

// False when it is parked; otherwise its refusal is final, and it broke, or another stands in for it.
bool Session::Core::runs_after_refusal(const BatchRef& batch, int index, const Outcome& refused) {
  runner_.forget_step(batch.get(), index);
  leave_groups(batch, index);
  if (park({batch, index})) {
    return false;
  }
  runner_.refuse(batch.get(), index, refused);
  return true;
}

void Session::Core::finish_sample(const BatchRef& batch, int index) {
  if (!batch->samples[index].error.ok()) {
    leave_groups(batch, index);
  }
  schedule_.end_forced({batch, index});
  if (batch->remaining.fetch_sub(1) == 1) {
    finish_flow(batch);
  }
  schedule_.note_running(-1);  // not before: what of a batch nothing runs may be evicted
  wake_parked();
}

// All samples have come to the next barrier, or broke on the way.
void Session::Core::finish_flow(const BatchRef& batch) {
  const bool is_skipped = std::ranges::all_of(
      batch->samples, [](const SampleJob& job) { return !job.error.ok() && !job.ends_batch; });
  if (is_skipped && options_.on_error == OnError::kSkip && !batch->has_run_in_order) {
    // A rank's batch is never empty: one replacement stands in for the first sample.
    SampleJob& job = batch->samples[0];
    const Status broken = job.error;
    if (runner_.replace(batch.get(), 0)) {
      job.faults.push_back({broken, SampleRunner::replaced_by(job)});
      batch->remaining = 1;
      schedule_.note_running(1);
      return push_sample(batch, 0);
    }
  }
  const size_t end = end_of_flow(*batch);
  for (size_t step = batch->step; step < end; ++step) {
    pass_turn(*batch, step);
  }
  if (Status mixed = SampleRunner::check_given(*batch); !mixed.ok()) {
    batch->error = std::move(mixed);
  }
  batch->step = end;
  start_step(batch);
}

void Session::Core::run_barrier(const BatchRef& batch) {
  const Step& step = step_of(*batch);
  if (runs_python(step) && !schedule_.take_turn(batch, step)) {
    return;  // until the previous batch has passed the turn on
  }
  engine::TaskOptions task;
  task.name = step.actions[0].name;
  task.order = static_cast<uint64_t>(batch->stream_begin) + 1;
  if (runs_python(step)) {
    task.executor = step.kind == StepKind::kFeed ? sources_ : functions_;
  }
  schedule_.note_running(running_of(step));
  const Status pushed = engine_->push(lane_, task, [self = self(), batch] {
    if (!self->schedule_.is_closed()) {
      self->end_where_thrown(batch, [&] { self->pass_barrier(batch); });
    }
    return ok_status();
  });
  if (!pushed.ok()) {
    schedule_.note_running(-running_of(step));
    complete(batch, pushed);
  }
}

void Session::Core::pass_barrier(const BatchRef& batch) {
  const Step& step = step_of(*batch);
  const int64_t begin_ns = now_ns();
  Status status = caught([&] {
    const UserWork work(place_of(*batch));
    return work_of(batch, step);
  });
  ActionTimes& times = runner_.times_of(step.actions[0]);
  times.time_ns += now_ns() - begin_ns;
  times.count += 1;
  if (is_memory_refusal(status)) {
    if (park({batch, kBarrier})) {
      return;
    }
    status = final_refusal(status, budget().limit_bytes());
  }
  schedule_.end_forced({batch, kBarrier});
  pass_turn(*batch, batch->step);
  if (!status.ok()) {
    ErrorContext context;
    context.operator_name = step.actions[0].name;
    batch->error = with_context(status, context);
  }
  ++batch->step;
  start_step(batch);
  schedule_.note_running(-running_of(step));
  wake_parked();
}

Status Session::Core::work_of(const BatchRef& batch, const Step& barrier) {
  switch (barrier.kind) {
    case StepKind::kFeed:
      return run_feeds(batch.get(), barrier);
    case StepKind::kBatch:
      return runner_.run_batch_operator(batch.get(), barrier.actions[0]);
    case StepKind::kFunction:
      return runner_.run_function(batch.get(), barrier.actions[0]);
    case StepKind::kSample:
    case StepKind::kGroup:
      break;
  }
  return internal_error("samples pass no barrier");
}

Status Session::Core::run_feeds(BatchJob* batch, const Step& step) {
  const std::optional<FeedRequest> request = schedule_.next_feed(batch);
  if (!request) {
    return ok_status();
  }
  const Result<int> count = runner_.run_feeds(batch, step, *request);
  if (is_end_of_data(count.status())) {
    schedule_.end_feeds(batch);
    return ok_status();
  }
  if (!count.ok() && !is_memory_refusal(count.status())) {
    // The batch is lost as one; the feeds go on with the next, beside each other and beside the readers.
    schedule_.note_fed(batch, plan_->options().batch_size);
  }
  FOREBAY_RETURN_IF_ERROR(count.status());
  if (runner_.readers().empty()) {
    for (int i = 0; i < *count; ++i) {
      batch->samples[i].identity.epoch = request->epoch;
      batch->samples[i].identity.position = request->position + i;
    }
  }
  batch->samples.resize(*count);
  schedule_.note_fed(batch, *count);
  return ok_status();
}

void Session::Core::pass_turn(const BatchJob& batch, size_t step) {
  const Step& passed = plan_->phases()[batch.phase].steps[step];
  const BatchRef next = schedule_.pass_turn(batch, passed);
  if (next == nullptr) {
    return;
  }
  if (flows(passed)) {
    run_next_group(next, step);
  } else {
    start_step(next);
  }
}

// For a batch that ends before its last step.
void Session::Core::pass_turns_to_come(const BatchJob& batch) {
  const std::vector<Step>& steps = plan_->phases()[batch.phase].steps;
  for (size_t step = batch.step; step < steps.size(); ++step) {
    pass_turn(batch, step);
  }
}

// Returns true if the sample or barrier will run again, false if its refusal is final.
bool Session::Core::park(const Waiting& refused) {
  const Schedule::Park parked = schedule_.park(refused);
  if (parked == Schedule::Park::kAlone) {
    wake_parked();
  }
  return parked != Schedule::Park::kFinal;
}

void Session::Core::wake_parked() {
  constexpr int kWoken = 2;  // for each sample that finishes, so that work grows again after a shortage
  for (int i = 0; i < kWoken; ++i) {
    const Schedule::Woken woken = schedule_.wake();
    start(woken.starts);
    if (!woken.next) {
      return;
    }
    if (woken.next->index == kBarrier) {
      run_barrier(woken.next->batch);
    } else {
      push_sample(woken.next->batch, woken.next->index);
    }
  }
}

}  // namespace forebay::pipeline
