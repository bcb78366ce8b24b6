#include "forebay/storage/tree/work_queue.h"

#include <chrono>
#include <utility>

namespace forebay::storage {
namespace {

constexpr std::chrono::milliseconds kGlanceEvery{100};

}  // namespace

WorkQueue::WorkQueue(size_t threads, Glance glance) : most_waiting_(4 * threads), glance_(std::move(glance)) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { run(); });
  }
}

WorkQueue::~WorkQueue() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkQueue::run() {
  UniqueMutexLock lock(mutex_);
  while (true) {
    changed_.wait(lock.native(),
                  [this]() FOREBAY_REQUIRES(mutex_) { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) {
      return;
    }
    const Work work = std::move(waiting_.front());
    waiting_.pop_front();
    ++under_way_;
    lock.unlock();
    Status status = work();
    lock.lock();
    --under_way_;
    if (!status.ok() && first_error_.ok()) {
      first_error_ = std::move(status);
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

Status WorkQueue::add(Work work) {
  UniqueMutexLock lock(mutex_);
  while (first_error_.ok() && waiting_.size() >= most_waiting_) {
    changed_.wait_for(lock.native(), kGlanceEvery);
    glance_();
  }
  if (!first_error_.ok()) {
    return first_error_;
  }
  waiting_.push_back(std::move(work));
  changed_.notify_all();
  return ok_status();
}

Status WorkQueue::finish() {
  UniqueMutexLock lock(mutex_);
  while (under_way_ > 0 || !waiting_.empty()) {
    changed_.wait_for(lock.native(), kGlanceEvery);
    glance_();
  }
  return first_error_;
}

}  // namespace forebay::storage
