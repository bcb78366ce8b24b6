// Samples that go through a step in groups. A sample that reaches the step gives its worker back until its
// group is complete. One task runs the group, on the Python executor if it calls a function of the user. Then
// each sample continues by itself.
//
// A sample that waits for its group does not count as running. So if another one of the group is parked for
// lack of memory, nothing may be running, and then the oldest parked sample is run alone.
#include "forebay/pipeline/core/core.h"
#include "forebay/pipeline/core/waiting_sessions.h"

namespace forebay::pipeline {

void Session::Core::make_groups(BatchJob* batch) const {
  const std::vector<Step>& steps = plan_->phases()[batch->phase].steps;
  const auto samples = static_cast<int>(batch->samples.size());
  for (size_t step = batch->step; step < end_of_flow(*batch); ++step) {
    if (steps[step].kind == StepKind::kGroup) {
      batch->groups[step] =
          std::make_unique<Groups>(samples, steps[step].group_size, runs_python(steps[step]));
    }
  }
}

// Continues a running sample at its step.
void Session::Core::go_on(const BatchRef& batch, int index) {
  const SampleJob& job = batch->samples[index];
  const Phase& phase = plan_->phases()[batch->phase];
  const bool is_broken = !job.error.ok();
  if (is_broken || (job.step == end_of_flow(*batch) && phase.expand < 0)) {
    finish_sample(batch, index);
  } else if (job.step < phase.steps.size() && phase.steps[job.step].kind == StepKind::kGroup) {
    arrive(batch, index);
  } else {
    push_sample(batch, index);
  }
}

// The groups of a batch are used only while one of its samples counts as running: otherwise it may be
// evicted.
void Session::Core::arrive(const BatchRef& batch, int index) {
  const size_t step = batch->samples[index].step;
  schedule_.end_forced({batch, index});
  batch->groups[step]->arrive(index);
  run_next_group(batch, step);
  schedule_.note_running(-1);
  wake_parked();
}

// For a sample that broke or waits for memory. Functions of the user see samples in order, so their groups
// wait for the latter.
void Session::Core::leave_groups(const BatchRef& batch, int index) {
  const SampleJob& job = batch->samples[index];
  for (size_t step = job.step; step < end_of_flow(*batch); ++step) {
    Groups* const groups = batch->groups[step].get();
    if (groups != nullptr && (!job.error.ok() || !groups->is_in_order())) {
      groups->leave(index);
      run_next_group(batch, step);
    }
  }
}

// Runs the next complete group of the batch at that step, if it is its turn.
void Session::Core::run_next_group(const BatchRef& batch, size_t step) {
  const Step& taken = plan_->phases()[batch->phase].steps[step];
  Groups& groups = *batch->groups[step];
  if (groups.is_in_order() && !schedule_.take_turn(batch, taken)) {
    return;
  }
  std::vector<int> members = groups.take();
  if (members.empty()) {
    if (groups.is_in_order() && groups.is_over()) {
      pass_turn(*batch, step);
    }
    return;
  }
  engine::TaskOptions task;
  task.name = taken.actions[0].name;
  task.order = static_cast<uint64_t>(batch->samples[members[0]].identity.stream_index) + 1;
  if (groups.is_in_order()) {
    task.executor = functions_;
    batch->has_run_in_order = true;
  }
  schedule_.note_running(static_cast<int>(members.size()));
  const Status pushed =
      engine_->push(lane_, task, [self = self(), batch, step, members = std::move(members)] {
        if (!self->schedule_.is_closed()) {
          self->end_where_thrown(batch, [&] { self->run_group(batch, step, members); });
        }
        return ok_status();
      });
  if (!pushed.ok()) {
    complete(batch, pushed);
  }
}

void Session::Core::run_group(const BatchRef& batch, size_t step, const std::vector<int>& members) {
  const std::vector<Outcome> outcomes = [&] {
    const UserWork work(place_of(*batch));
    return runner_.run_group(batch.get(), members);
  }();
  Groups& groups = *batch->groups[step];
  if (groups.is_in_order()) {
    groups.finish();
    run_next_group(batch, step);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const bool is_parked =
        outcomes[i].kind == Outcome::Kind::kRefused && !runs_after_refusal(batch, members[i], outcomes[i]);
    if (!is_parked) {
      go_on(batch, members[i]);
    }
  }
}

}  // namespace forebay::pipeline
