// The threads start with their object and end with stop().
#include "forebay/base/sync/job_thread.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

namespace forebay {
namespace {

constexpr std::chrono::seconds kLongestJobWait(1);

}  // namespace

JobThread::JobThread(size_t max_waiting, std::string what, size_t threads)
    : max_waiting_(max_waiting),
      what_(std::move(what)),
      owner_(::getpid()),
      state_(std::make_unique<State>()) {
  try {
    const MutexLock lock(state_->ending);
    state_->threads.reserve(threads);
    for (size_t i = 0; i < threads; ++i) {
      state_->threads.emplace_back([state = state_.get()] { run(*state); });
    }
  } catch (...) {
    end_threads();  // those that have started
    throw;
  }
}

JobThread::~JobThread() {
  if (is_forked_copy()) {
    static_cast<void>(state_.release());
    return;
  }
  stop();
}

Status JobThread::stopped_error() const {
  return unavailable("no more {}: the server ends", what_);
}

bool JobThread::is_forked_copy() const {
  return ::getpid() != owner_;
}

Status JobThread::add(Job job, Refusal refused) {
  const MutexLock lock(state_->mutex);
  if (state_->is_stopping) {
    return stopped_error();
  }
  if (state_->waiting.size() >= max_waiting_) {
    return resource_exhausted("{} {} wait already", state_->waiting.size(), what_);
  }
  state_->waiting.push_back({std::move(job), std::move(refused)});
  state_->changed.notify_one();
  return ok_status();
}

void JobThread::refuse_waiting() {
  if (is_forked_copy()) {
    return;
  }
  std::deque<Waiting> dropped;
  {
    const MutexLock lock(state_->mutex);
    state_->is_stopping = true;
    dropped.swap(state_->waiting);
    state_->changed.notify_all();
  }
  for (Waiting& each : dropped) {
    if (each.refused != nullptr) {
      each.refused(stopped_error());
    }
  }
}

void JobThread::stop() {
  if (!is_forked_copy()) {
    end_threads();
  }
}

void JobThread::end_threads() {
  {
    const MutexLock lock(state_->mutex);
    state_->is_stopping = true;
    state_->changed.notify_all();
  }
  const MutexLock lock(state_->ending);
  for (std::thread& thread : state_->threads) {
    thread.join();
  }
  state_->threads.clear();
}

void JobThread::run(State& state) {
  UniqueMutexLock lock(state.mutex);
  while (!state.is_stopping || !state.waiting.empty()) {
    if (state.waiting.empty()) {
      state.changed.wait_for(lock.native(), kLongestJobWait);
      continue;
    }
    std::optional<Waiting> next = std::move(state.waiting.front());
    state.waiting.pop_front();
    lock.unlock();
    next->job();
    next.reset();
    lock.lock();
  }
}

}  // namespace forebay
