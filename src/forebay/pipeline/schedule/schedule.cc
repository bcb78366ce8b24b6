#include "forebay/pipeline/schedule/schedule.h"

#include <algorithm>
#include <utility>

namespace forebay::pipeline {

Schedule::Schedule(const Plan& plan, const SessionOptions& options, const Clock& clock,
                   const std::vector<OpenReader>& readers, Delivered& delivered)
    : plan_(plan),
      options_(options),
      clock_(clock),
      readers_(readers),
      delivered_(delivered),
      streams_(plan.phases().size()) {
  feed_next_.max_batch_size = plan.options().batch_size;
  for (const Phase& phase : plan.phases()) {
    for (const Step& step : phase.steps) {
      if (runs_python(step)) {
        turns_.emplace(&step, Turns());
      }
    }
  }
}

void Schedule::open(std::shared_ptr<engine::Engine> engine, engine::LaneRef lane) {
  engine_ = std::move(engine);
  lane_ = std::move(lane);
}

// Running tasks still use their batches, so this only marks them as over and changes who waits for them.
std::vector<engine::Completion> Schedule::close(const Status& error) {
  std::vector<engine::Completion> left;
  const MutexLock lock(mutex_);
  if (!is_closed_) {
    ended_by_ = error;
  }
  is_closed_ = true;
  parked_.clear();
  for (auto& [step, turns] : turns_) {
    turns.clear();
  }
  for (Stream& stream : streams_) {
    for (const BatchRef& batch : stream.under_way) {
      batch->is_complete = true;
      left.push_back(std::exchange(batch->done, {}));
    }
    stream.under_way.clear();
    stream.pending.clear();
    stream.copies_pending = 0;
  }
  return left;
}

Status Schedule::reason_of_end() const {
  const MutexLock lock(mutex_);
  return ended_by_.ok() ? cancelled("the session was closed") : ended_by_;
}

Status Schedule::refusal_of_end() const {
  return ended_by_.ok() ? failed_precondition("the pipeline was closed") : ended_by_;
}

void Schedule::finish_promised() {
  const MutexLock lock(mutex_);
  makes_only_promised_ = true;
}

bool Schedule::is_done() const {
  const MutexLock lock(mutex_);
  return !is_closed_ && makes_only_promised_ && streams_.back().promised == 0 && delivering_ == 0;
}

Starts Schedule::fill() {
  Starts starts;
  const MutexLock lock(mutex_);
  fill_up(&starts);
  return starts;
}

// Keeps `prefetch_depth` unpromised batches of the last phase in progress, and as many batches of earlier
// phases as it takes to feed it.
void Schedule::fill_up(Starts* starts) {
  if (!is_closed_ && !makes_only_promised_) {
    fill_phase(static_cast<int>(streams_.size()) - 1, options_.prefetch_depth + streams_.back().promised,
               starts);
    mark_awaited();
  }
}

void Schedule::fill_phase(int phase, int depth, Starts* starts) {
  Stream& stream = streams_[phase];
  while (static_cast<int>(stream.under_way.size()) < depth && !stream.has_ended) {
    int samples = plan_.options().batch_size;
    if (phase > 0) {
      take_finished(phase - 1);
      const bool input_ended = streams_[phase - 1].has_ended && streams_[phase - 1].under_way.empty();
      if (stream.copies_pending < samples && !input_ended) {
        return fill_phase(phase - 1, options_.prefetch_depth, starts);
      }
      samples = static_cast<int>(std::min<int64_t>(samples, stream.copies_pending));
      stream.has_ended = input_ended && samples == 0;
    }
    BatchRef batch = make_batch(phase, stream.next_iteration++, samples);
    stream.under_way.push_back(batch);
    if (!batch->is_complete) {
      starts->push_back(std::move(batch));
    }
  }
}

BatchRef Schedule::make_batch(int phase, int64_t iteration, int samples) {
  auto batch = std::make_shared<BatchJob>(samples, plan_.num_values(), plan_.outputs().size());
  batch->phase = phase;
  batch->iteration = iteration;
  batch->is_end = streams_[phase].has_ended;
  batch->groups.resize(plan_.phases()[phase].steps.size());
  if (phase > 0) {
    take_pending(batch.get());
  } else {
    place_in_stream(batch.get());
    identify_from_order(batch.get());
  }
  promise_ready(batch.get());
  if (is_last(phase)) {
    delivered_.open_slots(batch.get());
  }
  return batch;
}

// The obligation to finish the batch is a task without a body, pushed before anybody can ask for the batch:
// whatever depends on `ready` waits for it, even before the batch's first step is pushed.
void Schedule::promise_ready(BatchJob* batch) {
  batch->ready = engine_->new_variable();
  const engine::Variable writes[] = {batch->ready};
  auto done = engine_->push_open(lane_, {.name = "batch", .writes = writes});
  if (!done.ok()) {
    batch->error = done.status();
    batch->is_complete = true;
    return;
  }
  batch->done = *std::move(done);
}

void Schedule::place_in_stream(BatchJob* batch) const {
  const int64_t size = plan_.options().batch_size;
  batch->stream_begin = stream_origin_ + batch->iteration * size;
  batch->stream_end = batch->stream_begin + size;
  batch->before.stream_index = batch->stream_begin;
  batch->before.read = batch->stream_begin;
  batch->after.stream_index = batch->stream_end;
  batch->after.read = batch->stream_end;
}

void Schedule::identify_from_order(BatchJob* batch) {
  for (int i = 0; i < static_cast<int>(batch->samples.size()); ++i) {
    SampleJob& job = batch->samples[i];
    job.identity = {};
    job.identity.stream_index = batch->stream_begin + i;
    job.identity.index_in_batch = i;
    job.identity.position = job.identity.stream_index;
  }
  if (!is_named_later(*batch)) {
    name_samples(batch);
  }
}

/// Which samples of a growing reader these are is known when the batch begins.
bool Schedule::is_named_later(const BatchJob& batch) const {
  return batch.phase == 0 && !readers_.empty() && readers_[0].growing != nullptr;
}

void Schedule::name_samples(BatchJob* batch) const {
  if (readers_.empty()) {
    return;
  }
  for (SampleJob& job : batch->samples) {
    const dataset::StreamItem item = readers_[0].item_at(static_cast<uint64_t>(job.identity.stream_index));
    job.identity.epoch = static_cast<int64_t>(item.epoch);
    job.identity.position = static_cast<int64_t>(item.position);
    job.identity.sample_index = readers_[0].shown_index(item.index);
    job.is_padding = item.is_padding;
  }
}

bool Schedule::begin(BatchJob* batch) {
  const MutexLock lock(mutex_);
  if (!batch->is_complete && is_named_later(*batch)) {
    name_samples(batch);
  }
  batch->has_begun = batch->has_begun || !batch->is_complete;
  return !batch->is_complete;
}

Schedule::Completed Schedule::complete(BatchJob* batch, const Status& status) {
  Completed completed;
  const MutexLock lock(mutex_);
  if (batch->is_complete) {
    return completed;
  }
  if (batch->error.ok()) {
    batch->error = status;
  }
  completed.status = first_error(*batch, options_.on_error);
  batch->is_complete = true;
  completed.done = std::move(batch->done);
  if (!is_last(batch->phase)) {
    fill_up(&completed.starts);
  }
  return completed;
}

bool Schedule::is_complete(const BatchJob& batch) const {
  const MutexLock lock(mutex_);
  return batch.is_complete;
}

bool Schedule::take_turn(const BatchRef& batch, const Step& step) {
  const MutexLock lock(mutex_);
  return turns_.at(&step).take(batch);
}

BatchRef Schedule::pass_turn(const BatchJob& batch, const Step& step) {
  const MutexLock lock(mutex_);
  const auto turns = turns_.find(&step);
  return turns == turns_.end() ? nullptr : turns->second.pass(batch.iteration);
}

// The batch that must make progress for the next delivery: the oldest of the last phase or, if that has none,
// of the phase that feeds it.
BatchRef Schedule::awaited() const {
  for (auto stream = streams_.rbegin(); stream != streams_.rend(); ++stream) {
    if (!stream->under_way.empty()) {
      return stream->under_way.front();
    }
  }
  return nullptr;
}

// So that its reads are asked for as what somebody waits for.
void Schedule::mark_awaited() {
  if (const BatchRef batch = awaited(); batch != nullptr) {
    batch->is_awaited.store(true, std::memory_order_relaxed);
  }
}

Result<Schedule::Next> Schedule::next() {
  Next next;
  const MutexLock lock(mutex_);
  if (is_closed_) {
    return refusal_of_end();
  }
  fill_up(&next.starts);
  next.batch = awaited();
  if (next.batch == nullptr) {
    return report_end_locked(false);
  }
  next.is_promised = streams_.back().promised > 0;
  next.is_there = next.batch->is_complete && is_last(next.batch->phase) && !next.is_promised;
  if (next.is_there) {
    streams_.back().under_way.pop_front();
    mark_awaited();
    ++delivering_;
  }
  next.ready = next.batch->ready;
  return next;
}

// A new one, since tasks of the one that failed may still look at it.
Starts Schedule::put_back(int64_t iteration) {
  const MutexLock lock(mutex_);
  if (is_closed_ || makes_only_promised_ || !can_make_again() || streams_[0].promised > 0) {
    return {};
  }
  BatchRef batch = make_batch(0, iteration, plan_.options().batch_size);
  std::deque<BatchRef>& under_way = streams_[0].under_way;
  const auto later =
      std::ranges::find_if(under_way, [&](const BatchRef& other) { return other->iteration > iteration; });
  under_way.insert(later, batch);
  mark_awaited();
  return batch->is_complete ? Starts() : Starts{std::move(batch)};
}

Result<Schedule::Next> Schedule::promise() {
  Next next;
  const MutexLock lock(mutex_);
  if (is_closed_) {
    return refusal_of_end();
  }
  if (streams_.size() > 1) {
    return unimplemented(
        "an operator of this graph decides how many samples there are; what a batch holds is known only when "
        "it is done, so use run()");
  }
  Stream& stream = streams_[0];
  fill_up(&next.starts);
  if (stream.promised == static_cast<int>(stream.under_way.size())) {
    return report_end_locked(false);
  }
  next.batch = stream.under_way[static_cast<size_t>(stream.promised++)];
  next.ready = next.batch->ready;
  return next;
}

bool Schedule::take_promised(const BatchJob& batch) {
  const MutexLock lock(mutex_);
  if (!batch.is_complete) {
    return false;
  }
  if (!is_closed_) {
    streams_[0].under_way.pop_front();
    mark_awaited();
    --streams_[0].promised;
    ++delivering_;
  }
  return true;
}

void Schedule::note_handed_over() {
  const MutexLock lock(mutex_);
  --delivering_;
}

bool Schedule::has_promised() const {
  const MutexLock lock(mutex_);
  return streams_.back().promised > 0 || delivering_ > 0;
}

engine::Variable Schedule::ready_of(const BatchJob& batch) const {
  const MutexLock lock(mutex_);
  return batch.ready;
}

engine::Variable Schedule::next_ready() const {
  const MutexLock lock(mutex_);
  const BatchRef batch = awaited();
  return batch == nullptr ? engine::Variable() : batch->ready;
}

Status Schedule::go_on_from(const Position& position) {
  const MutexLock lock(mutex_);
  for (const Stream& stream : streams_) {
    if (stream.next_iteration != 0) {
      return failed_precondition("a state can only be restored before the first batch is scheduled");
    }
  }
  stream_origin_ = position.stream_index;
  feed_next_ = position.feed;
  for (size_t phase = 1; phase < streams_.size(); ++phase) {
    streams_[phase].used = position.used[phase - 1];
  }
  return ok_status();
}

}  // namespace forebay::pipeline
