// When the memory limit refuses.
//
// A refused sample gives back all it holds and is *parked*; whenever another finishes, or a batch is
// delivered, parked samples run again, oldest first. When nothing runs and the oldest parked sample belongs
// to the batch that the consumer will get next, no delivery can free memory any more: it then runs alone
// (*forced*). If it is refused even so, finished work of younger batches is *evicted*, to be done again later
// (rule 2 makes that the same bits), and it runs once more. What is refused then needs more than the whole
// limit: that sample fails, with the bytes it needs.
#include <algorithm>

#include "forebay/pipeline/core.h"

namespace forebay::pipeline {

// True when the sample (or the barrier, index -1) will run again; false when its refusal is final.
bool Session::Core::park(const BatchRef& batch, int index) {
  std::vector<engine::Completion> dropped;  // without the lock
  std::unique_lock lock(mutex_);
  forget_step(batch.get(), index);
  const bool was_forced = forced_.batch == batch && forced_.index == index;
  forced_ = was_forced ? Parked{nullptr, 0} : forced_;
  const bool counts = index >= 0 || counts_as_running(step_of(*batch));
  const bool is_alone = running_ == (counts ? 1 : 0);
  if (was_forced && is_alone && !evict_younger(*batch, &dropped)) {
    return false;
  }
  parked_.push_back({batch, index});
  if (index >= 0) {
    batch->samples[index].waiting_since_ns = now_ns();
  }
  running_ -= counts ? 1 : 0;
  const bool nobody_will_wake = running_ == 0;
  lock.unlock();
  if (nobody_will_wake) {
    wake_parked();
  }
  return true;
}

void Session::Core::end_forced(const BatchRef& batch, int index) {
  std::lock_guard lock(mutex_);
  if (forced_.batch == batch && forced_.index == index) {
    forced_ = {nullptr, 0};
  }
}

// The values that the current step has made so far; those of earlier steps stay.
void Session::Core::forget_step(BatchJob* batch, int index) {
  if (index < 0) {
    return;
  }
  SampleJob& job = batch->samples[index];
  job.next_action = 0;
  job.arrived.reset();
  for (const Action& action : step_of(*batch).actions) {
    for (const int value : action.outputs) {
      job.values[value] = {};
    }
  }
}

// True for work that must be done before the consumer gets its next batch.
bool Session::Core::blocks_delivery(const BatchJob& batch) const {
  const BatchRef front = awaited();
  return front != nullptr &&
         (front.get() == &batch || (front->phase != batch.phase && !front->is_complete) ||
          (batch.phase + 1 < static_cast<int>(streams_.size()) && streams_.back().under_way.empty()));
}

void Session::Core::wake_parked() {
  constexpr int kWoken = 2;  // for each sample that finishes: work grows again after a squeeze
  for (int woken = 0; woken < kWoken; ++woken) {
    Parked next;
    Starts restarts;
    {
      std::lock_guard lock(mutex_);
      if (forced_.batch != nullptr || is_closed_) {
        return;
      }
      const auto oldest = std::ranges::min_element(parked_, {}, [](const Parked& item) {
        const int index = std::max(item.index, 0);
        return std::pair(-item.batch->phase, item.batch->samples[index].identity.stream_index);
      });
      // What is parked may be of a batch younger than an evicted one, which the consumer gets first.
      const bool evicted_come_first =
          !evicted_.empty() && (parked_.empty() || evicted_.front()->iteration < oldest->batch->iteration);
      if (evicted_come_first) {
        restarts.swap(evicted_);
      } else if (parked_.empty()) {
        return;
      } else {
        const bool is_alone = running_ == 0;
        if (is_alone && (delivering_ > 0 || !blocks_delivery(*oldest->batch))) {
          return;  // a batch is being delivered, or will be; that gives memory back
        }
        next = *oldest;
        forced_ = is_alone ? next : Parked{nullptr, 0};
        parked_.erase(oldest);
        if (next.index >= 0) {
          run_times_.parked_ns += now_ns() - next.batch->samples[next.index].waiting_since_ns;
          ++running_;
        }
      }
    }
    if (next.batch == nullptr) {
      start(restarts);
      return;
    }
    if (next.index >= 0) {
      push_sample(next.batch, next.index);
    } else {
      run_barrier(next.batch);
    }
  }
}

// Takes back all memory of batches younger than `than` that can be made again: those that come from readers
// alone.
bool Session::Core::evict_younger(const BatchJob& than, std::vector<engine::Completion>* dropped) {
  if (streams_.size() != 1 || !plan_->feeds().empty()) {
    return false;
  }
  bool has_evicted = false;
  for (const BatchRef& batch : streams_[0].under_way) {
    if (batch->iteration <= than.iteration || !batch->has_begun) {
      continue;
    }
    has_evicted = true;
    batch->has_begun = false;
    std::erase_if(parked_, [&](const Parked& item) { return item.batch == batch; });
    for (auto& [step, turns] : turns_) {
      turns.leave(batch->iteration);
    }
    batch->step = 0;
    batch->error = ok_status();
    batch->is_complete = false;
    dropped->push_back(std::exchange(batch->done, {}));
    promise_ready(batch.get());
    identify_from_order(batch.get());
    for (SampleJob& job : batch->samples) {
      std::fill(job.values.begin(), job.values.end(), tensor::Tensor());
      job.error = ok_status();
      job.faults.clear();
      job.is_replacement = false;
    }
    for (OutputSlots& slots : batch->slots) {
      slots.close();
    }
    evicted_.push_back(batch);
  }
  return has_evicted;
}

}  // namespace forebay::pipeline
