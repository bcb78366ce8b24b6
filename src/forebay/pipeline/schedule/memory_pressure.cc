// What happens when the memory limit refuses.
//
// A refused sample frees all it holds, but for a record that was read and is still to be decoded, and is
// *parked*. Whenever another finishes, or a batch is delivered, parked samples run again, oldest first. If
// nothing runs and the oldest parked sample belongs to the batch that the consumer gets next, no delivery can
// free memory any more: it then runs alone (*forced*). If it is refused even so, it runs once more, first
// without the records of the others, then without finished work of younger batches, which is *evicted*: both
// are made again later (with the same bits, by rule 2). If it is refused again, it needs more than the whole
// limit: that sample fails, and its error gives the bytes it needs.
#include <algorithm>
#include <tuple>
#include <utility>

#include "forebay/pipeline/schedule/schedule.h"

namespace forebay::pipeline {

// A feed may wait for its user, who may wait for a batch, so it does not count.
bool Schedule::counts_as_running(const Waiting& waiting) const {
  const BatchJob& batch = *waiting.batch;
  return waiting.index >= 0 || plan_.phases()[batch.phase].steps[batch.step].kind != StepKind::kFeed;
}

bool Schedule::is_forced(const Waiting& waiting) const {
  return forced_.batch == waiting.batch && forced_.index == waiting.index;
}

Schedule::Park Schedule::park(const Waiting& refused) {
  std::vector<engine::Completion> dropped;  // destroyed outside the lock
  const MutexLock lock(mutex_);
  const bool was_forced = is_forced(refused);
  if (was_forced) {
    forced_ = {};
  }
  const int counted = counts_as_running(refused) ? 1 : 0;
  if (was_forced && running_ == counted && !drop_records_of_parked() &&
      !evict_younger(*refused.batch, &dropped)) {
    return Park::kFinal;
  }
  parked_.push_back(refused);
  if (refused.index >= 0) {
    refused.batch->samples[refused.index].waiting_since_ns = clock_.now_ns();
  }
  running_ -= counted;
  return running_ == 0 ? Park::kAlone : Park::kParked;
}

// What parked samples have read is read again when they run. Returns whether there was any. It is freed
// before the mutex is, because whoever runs the refused sample next needs the memory.
bool Schedule::drop_records_of_parked() {
  bool has_dropped = false;
  for (const Waiting& parked : parked_) {
    if (parked.index >= 0) {
      std::optional<KeptRecord>& kept = parked.batch->samples[parked.index].kept;
      has_dropped |= kept.has_value();
      kept.reset();
    }
  }
  return has_dropped;
}

void Schedule::end_forced(const Waiting& finished) {
  const MutexLock lock(mutex_);
  if (is_forced(finished)) {
    forced_ = {};
  }
}

// Whether the work must be done before the consumer gets its next batch.
bool Schedule::blocks_delivery(const BatchJob& batch) const {
  const BatchRef front = awaited();
  return front != nullptr &&
         (front.get() == &batch || (front->phase != batch.phase && !front->is_complete) ||
          (batch.phase + 1 < static_cast<int>(streams_.size()) && streams_.back().under_way.empty()));
}

Schedule::Woken Schedule::wake() {
  Woken woken;
  const MutexLock lock(mutex_);
  if (forced_.batch != nullptr || is_closed_) {
    return woken;
  }
  // By batch and place, because copies of one sample have the same place in the stream.
  const auto oldest = std::ranges::min_element(parked_, {}, [](const Waiting& item) {
    return std::tuple(-item.batch->phase, item.batch->iteration, item.index);
  });
  // The oldest parked sample may belong to a batch younger than an evicted one, which the consumer gets
  // first.
  const bool evicted_come_first =
      !evicted_.empty() && (parked_.empty() || evicted_.front()->iteration < oldest->batch->iteration);
  if (evicted_come_first) {
    woken.starts.swap(evicted_);
    return woken;
  }
  if (parked_.empty()) {
    return woken;
  }
  const bool is_alone = running_ == 0;
  if (is_alone && (delivering_ > 0 || !blocks_delivery(*oldest->batch))) {
    return woken;  // a batch is or will be delivered, which frees memory
  }
  woken.next = *oldest;
  forced_ = is_alone ? *oldest : Waiting();
  parked_.erase(oldest);
  if (woken.next->index >= 0) {
    const SampleJob& job = woken.next->batch->samples[woken.next->index];
    parked_ns_ += clock_.now_ns() - job.waiting_since_ns;
    ++running_;
  }
  return woken;
}

// Takes back all memory of batches younger than `than` that can be made again: those that come from readers
// alone. Functions of the user see their samples once more then.
bool Schedule::evict_younger(const BatchJob& than, std::vector<engine::Completion>* dropped) {
  if (!can_make_again()) {
    return false;
  }
  bool has_evicted = false;
  for (const BatchRef& batch : streams_[0].under_way) {
    if (batch->iteration > than.iteration && batch->has_begun) {
      has_evicted = true;
      dropped->push_back(std::exchange(batch->done, {}));
      make_again(batch);
    }
  }
  return has_evicted;
}

void Schedule::make_again(const BatchRef& batch) {
  std::erase_if(parked_, [&](const Waiting& item) { return item.batch == batch; });
  for (auto& [step, turns] : turns_) {
    turns.leave(batch->iteration);
  }
  batch->has_begun = false;
  batch->step = 0;
  batch->error = ok_status();
  batch->is_complete = false;
  batch->has_run_in_order = false;
  promise_ready(batch.get());
  identify_from_order(batch.get());
  std::ranges::fill(batch->groups, nullptr);
  for (SampleJob& job : batch->samples) {
    std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
    job.kept.reset();
    job.error = ok_status();
    job.ends_batch = false;
    job.faults.clear();
    job.merged.clear();
    job.given.clear();
    job.is_replacement = false;
  }
  for (OutputSlots& slots : batch->slots) {
    slots.close();
  }
  evicted_.push_back(batch);
}

}  // namespace forebay::pipeline
