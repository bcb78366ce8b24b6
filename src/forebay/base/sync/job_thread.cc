// The thread starts with its object and ends with stop().
#include "forebay/base/sync/job_thread.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

namespace forebay {
namespace {

constexpr std::chrono::seconds kLongestJobWait(1);

}  // namespace

JobThread::JobThread(size_t max_waiting, std::string what)
    : max_waiting_(max_waiting), what_(std::move(what)), owner_(::getpid()), thread_([this] { run(); }) {
}

JobThread::~JobThread() {
  if (is_forked_copy()) {
    thread_.detach();
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
  const MutexLock lock(mutex_);
  if (is_stopping_) {
    return stopped_error();
  }
  if (waiting_.size() >= max_waiting_) {
    return resource_exhausted("{} {} wait already", waiting_.size(), what_);
  }
  waiting_.push_back({std::move(job), std::move(refused)});
  changed_.notify_one();
  return ok_status();
}

void JobThread::refuse_waiting() {
  if (is_forked_copy()) {
    return;
  }
  std::deque<Waiting> dropped;
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    dropped.swap(waiting_);
    changed_.notify_one();
  }
  for (Waiting& each : dropped) {
    if (each.refused != nullptr) {
      each.refused(stopped_error());
    }
  }
}

void JobThread::stop() {
  if (is_forked_copy()) {
    return;
  }
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void JobThread::run() {
  UniqueMutexLock lock(mutex_);
  while (!is_stopping_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      changed_.wait_for(lock.native(), kLongestJobWait);
      continue;
    }
    std::optional<Waiting> next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next->job();
    next.reset();
    lock.lock();
  }
}

}  // namespace forebay
