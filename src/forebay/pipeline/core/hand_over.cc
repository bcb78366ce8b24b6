// Delivers batches: to callers of run(), which wait, and to takers, which do not. A batch is promised to a
// task that depends on it, and that task hands it over. Until then promised batches stay at the front of the
// stream, so that the memory limit treats them correctly: as the next to be delivered.
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/pipeline/core/core.h"
#include "forebay/pipeline/core/waiting_sessions.h"
#include "forebay/pipeline/session/interruptible.h"

namespace forebay::pipeline {

Result<Delivery> Session::Core::run(const std::function<bool()>& interrupted) {
  FOREBAY_RETURN_IF_ERROR(check_caller());
  const int64_t entered_ns = now_ns();
  FOREBAY_ASSIGN_OR_RETURN(BatchRef batch, next_batch(interrupted));
  const int64_t iteration = batch->iteration;
  Result<Delivery> delivery = deliver(std::move(batch));
  if (!delivery.ok() && !is_of_sample(delivery.status())) {
    start(schedule_.put_back(iteration));
  }
  go_on_after(entered_ns, delivery.ok() ? delivery->samples.size() : 0);
  return delivery;
}

Result<BatchRef> Session::Core::next_batch(const std::function<bool()>& interrupted) {
  for (;;) {
    FOREBAY_ASSIGN_OR_RETURN(const Schedule::Next next, schedule_.next());
    start(next.starts);
    if (next.is_there) {
      return next.batch;
    }
    const BatchWait for_others(place_of(*next.batch));
    FOREBAY_RETURN_IF_ERROR(for_others.status());
    const Interruptible wait(interrupted);
    const Status waited = engine_->wait(next.is_promised ? handed_ : next.ready, wait.options());
    FOREBAY_RETURN_IF_ERROR(wait.status());  // even if the batch has just become ready: it is still there
    if (!waited.ok() && !schedule_.is_complete(*next.batch)) {
      return waited;  // forked or shut down; the batch is still there
    }
  }
}

Result<Delivery> Session::Core::deliver(BatchRef batch) {
  Result<Delivery> delivery = caught([&] { return delivery_of(*batch); });
  batch.reset();
  runner_.reads().advance(static_cast<uint64_t>(delivered_.position().stream_index));
  schedule_.note_handed_over();
  return delivery;
}

Result<Delivery> Session::Core::delivery_of(const BatchJob& batch) {
  if (batch.is_end) {
    return schedule_.report_end(batch.is_past_end);
  }
  return delivered_.take(batch);
}

void Session::Core::go_on_after(int64_t entered_ns, size_t samples) {
  if (!options_.on_demand) {
    prefetch();
  }
  wake_parked();
  delivered_.note_wait(entered_ns, samples);
}

Status Session::Core::run_later(absl::Span<const engine::Variable> writes, Taker take) {
  FOREBAY_ASSIGN_OR_RETURN(Schedule::Next next, schedule_.promise());
  start(next.starts);
  std::vector<engine::Variable> written(writes.begin(), writes.end());
  written.push_back(handed_);
  auto hand_over = [self = self(), batch = next.batch, take = std::move(take)]() mutable {
    const int64_t entered_ns = self->now_ns();
    if (self->schedule_.is_closed()) {
      return take(self->schedule_.reason_of_end());
    }
    Result<Delivery> delivery = self->deliver(std::move(batch));
    const size_t samples = delivery.ok() ? delivery->samples.size() : 0;
    const Status taken = caught([&] { return take(std::move(delivery)); });
    self->go_on_after(entered_ns, samples);
    self->close_when_done();
    return taken;
  };
  return push_taker(next.batch, written, std::move(hand_over));
}

Status Session::Core::push_taker(const BatchRef& batch, absl::Span<const engine::Variable> writes,
                                 absl::AnyInvocable<Status()> hand_over) {
  const engine::Variable ready = schedule_.ready_of(*batch);
  engine::TaskOptions task;
  task.name = "hand over";
  task.reads = {&ready, 1};
  task.writes = writes;
  task.run_on_error = true;
  task.order = static_cast<uint64_t>(batch->stream_begin) + 1;
  auto body = [self = self(), batch = batch,
               hand_over = std::move(hand_over)](engine::Completion done) mutable {
    if (self->schedule_.take_promised(*batch)) {
      batch.reset();
      done.complete(hand_over());
      return;
    }
    auto again = [hand_over = std::move(hand_over), done = std::move(done)]() mutable {
      done.complete(hand_over());
      return ok_status();
    };
    // If even this fails, the Completion is dropped, which tells the tasks that depend on it.
    self->push_taker(batch, {}, std::move(again)).IgnoreError();
  };
  return engine_->push_async(lane_, task, std::move(body));
}

}  // namespace forebay::pipeline
