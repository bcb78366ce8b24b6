// Batches for takers who do not wait: a batch is promised to a task that depends on it, and handed over by
// that task. Promised batches stay at the front of the stream until then, so that the memory limit treats
// them as what they are: the next to be delivered.
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/pipeline/core.h"

namespace forebay::pipeline {

Result<BatchRef> Session::Core::promise_next() {
  Starts starts;
  BatchRef batch;
  {
    std::lock_guard lock(mutex_);
    if (is_closed_) {
      return failed_precondition("the pipeline was closed");
    }
    if (streams_.size() > 1) {
      return unimplemented(
          "an operator of this graph decides how many samples there are; what a batch holds is known only "
          "when it is "
          "done, so use run()");
    }
    PhaseStream& stream = streams_[0];
    pump(&starts);
    if (stream.promised == static_cast<int>(stream.under_way.size())) {
      return tell_end();
    }
    batch = stream.under_way[static_cast<size_t>(stream.promised++)];
  }
  start(starts);
  return batch;
}

// False when the batch was evicted meanwhile and is being made again.
bool Session::Core::take_promised(const BatchRef& batch) {
  std::lock_guard lock(mutex_);
  PhaseStream& stream = streams_[0];
  if (!batch->is_complete) {
    return false;
  }
  if (!is_closed_) {
    stream.under_way.pop_front();
    --stream.promised;
    ++delivering_;
  }
  return true;
}

Status Session::Core::push_taker(const BatchRef& batch, absl::Span<const engine::Variable> writes,
                                 absl::AnyInvocable<Status()> hand_over) {
  engine::Variable ready;
  {
    std::lock_guard lock(mutex_);
    ready = batch->ready;
  }
  engine::TaskOptions task;
  task.name = "hand over";
  task.reads = {&ready, 1};
  task.writes = writes;
  task.run_on_error = true;
  task.order = static_cast<uint64_t>(batch->stream_begin) + 1;
  auto body = [self = shared_from_this(), batch = batch,
               hand_over = std::move(hand_over)](engine::Completion done) mutable {
    if (self->take_promised(batch)) {
      batch.reset();
      done.complete(hand_over());
      return;
    }
    auto again = [hand_over = std::move(hand_over), done = std::move(done)]() mutable {
      done.complete(hand_over());
      return ok_status();
    };
    // Should even this fail, the Completion goes with it, and says so to who depends on it.
    self->push_taker(batch, {}, std::move(again)).IgnoreError();
  };
  return engine_->push_async(lane_, task, std::move(body));
}

Status Session::Core::run_later(absl::Span<const engine::Variable> writes, Taker take) {
  FOREBAY_ASSIGN_OR_RETURN(BatchRef batch, promise_next());
  std::vector<engine::Variable> written(writes.begin(), writes.end());
  written.push_back(handed_);
  auto hand_over = [self = shared_from_this(), batch, take = std::move(take)]() mutable {
    const int64_t entered_ns = self->now_ns();
    if (self->is_closed_) {
      return take(cancelled("the session was closed"));
    }
    Result<Delivery> delivery = self->deliver(std::move(batch));
    const size_t samples = delivery.ok() ? delivery->samples.size() : 0;
    const Status taken = caught([&] { return take(std::move(delivery)); });
    if (!self->options_.on_demand) {
      self->prefetch();
    }
    self->wake_parked();
    self->count_times(entered_ns, samples);
    self->close_when_done();
    return taken;
  };
  return push_taker(batch, written, std::move(hand_over));
}

// Batches that nobody was promised are of no use any more.
void Session::Core::let_go() {
  {
    std::lock_guard lock(mutex_);
    is_let_go_ = true;
  }
  close_when_done();
}

void Session::Core::close_when_done() {
  {
    std::lock_guard lock(mutex_);
    if (is_closed_ || !is_let_go_ || streams_.back().promised > 0) {
      return;
    }
  }
  close();
}

}  // namespace forebay::pipeline
