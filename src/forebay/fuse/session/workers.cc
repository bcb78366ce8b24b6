#include "forebay/fuse/session/workers.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace forebay::fuse {

Workers::~Workers() {
  std::vector<std::thread> threads;
  std::deque<Job> dropped;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    dropped.swap(jobs_);
    threads.swap(threads_);
    changed_.notify_all();
  }
  for (const Job& each : dropped) {
    each.dropped();
  }
  for (std::thread& each : threads) {
    each.join();
  }
}

/// Whether a thread is there for one job more than wait.
bool Workers::has_thread() {
  if (idle_ > jobs_.size()) {
    return true;
  }
  if (threads_.size() >= most_) {
    return !threads_.empty();
  }
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {
    return !threads_.empty();
  }
  return true;
}

void Workers::add(uint64_t id, std::function<void()> job, std::function<void()> dropped) {
  {
    const MutexLock lock(mutex_);
    if (has_thread()) {
      jobs_.push_back({id, std::move(job), std::move(dropped)});
      changed_.notify_one();
      return;
    }
  }
  job();
}

bool Workers::drop(uint64_t id) {
  std::function<void()> dropped;
  {
    const MutexLock lock(mutex_);
    const auto found = std::ranges::find(jobs_, id, &Job::id);
    if (found == jobs_.end()) {
      return false;
    }
    dropped = std::move(found->dropped);
    jobs_.erase(found);
  }
  dropped();
  return true;
}

void Workers::work() {
  UniqueMutexLock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock.native(), [this]() FOREBAY_REQUIRES(mutex_) { return is_stopped_ || !jobs_.empty(); });
    --idle_;
    if (is_stopped_) {
      return;
    }
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.run();
    lock.lock();
  }
}

}  // namespace forebay::fuse
