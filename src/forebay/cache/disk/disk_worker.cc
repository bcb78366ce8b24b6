#include "forebay/cache/disk/disk_worker.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace forebay::cache {

/// Takes the first job and does it with the mutex unlocked.
void DiskWorker::State::run_one(UniqueMutexLock& lock) {
  Waiting next = std::move(jobs.front());
  jobs.pop_front();
  if (!next.job) {
    --taken_back;
    changed.notify_all();
    return;
  }
  bytes -= next.bytes;
  running.push_back(next.ticket);
  lock.unlock();
  next.job();
  next.job = {};  // what it holds goes without the mutex, too
  lock.lock();
  std::erase(running, next.ticket);
  changed.notify_all();
}

bool DiskWorker::State::has_done_all_before(Ticket ticket) const {
  return (jobs.empty() || jobs.front().ticket >= ticket) &&
         std::all_of(running.begin(), running.end(), [&](Ticket each) { return each >= ticket; });
}

void DiskWorker::State::run() {
  UniqueMutexLock lock(mutex);
  while (!is_stopping || !jobs.empty()) {
    if (jobs.empty()) {
      changed.wait(lock.native());
    } else {
      run_one(lock);
    }
  }
}

DiskWorker::~DiskWorker() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(state_->mutex);
    state_->is_stopping = true;
    state_->changed.notify_all();
    threads.swap(threads_);
  }
  if (threads.empty()) {
    state_->run();  // none could be started
  }
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

DiskWorker::Ticket DiskWorker::add(Job job, uint64_t bytes) {
  const MutexLock lock(state_->mutex);
  const Ticket ticket = state_->next_ticket++;
  state_->jobs.push_back({ticket, std::move(job), bytes});
  state_->bytes += bytes;
  start_thread();
  state_->changed.notify_all();
  return ticket;
}

void DiskWorker::start_if_needed() {
  const MutexLock lock(state_->mutex);
  if (!state_->jobs.empty()) {
    start_thread();
  }
}

// Where that fails, what waits is done later.
void DiskWorker::start_thread() {
  const bool all_are_busy = state_->jobs.size() + state_->running.size() > threads_.size();
  if (all_are_busy && threads_.size() < most_threads_) {
    try {
      threads_.emplace_back([state = state_] { state->run(); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

bool DiskWorker::has_thread() const {
  const MutexLock lock(state_->mutex);
  return !threads_.empty();
}

DiskWorker::Job DiskWorker::take_back(Ticket ticket) {
  State& state = *state_;
  const MutexLock lock(state.mutex);
  const auto found = std::lower_bound(state.jobs.begin(), state.jobs.end(), ticket,
                                      [](const Waiting& job, Ticket wanted) { return job.ticket < wanted; });
  if (found == state.jobs.end() || found->ticket != ticket) {
    return {};
  }
  Job job = std::exchange(found->job, {});
  state.bytes -= std::exchange(found->bytes, 0);
  if (job && ++state.taken_back > state.jobs.size() / 2) {
    std::erase_if(state.jobs, [](const Waiting& each) { return !each.job; });
    state.taken_back = 0;
    state.changed.notify_all();  // perhaps nothing is left
  }
  return job;
}

void DiskWorker::help(uint64_t most_bytes) {
  const std::shared_ptr<State> state = state_;
  UniqueMutexLock lock(state->mutex);
  while (state->bytes > most_bytes && !state->jobs.empty()) {
    state->run_one(lock);
  }
}

void DiskWorker::flush() {
  UniqueMutexLock lock(state_->mutex);
  await_before(state_->next_ticket, lock);
}

void DiskWorker::await(Ticket ticket) {
  UniqueMutexLock lock(state_->mutex);
  await_before(ticket + 1, lock);
}

void DiskWorker::await_before(Ticket end, UniqueMutexLock& lock) {
  while (!state_->has_done_all_before(end)) {
    if (threads_.empty() && !state_->jobs.empty()) {
      state_->run_one(lock);
    } else {
      state_->changed.wait(lock.native());
    }
  }
}

}  // namespace forebay::cache
