#include "forebay/pipeline/requests/pending_requests.h"

namespace forebay::pipeline {
namespace {

/// Requests that have their answer, because their deadline passed, and are still to be run or running: so
/// many for each that may be without one. What they hold would else grow behind an operator that is slow.
constexpr size_t kAnsweredAlso = 1;

}  // namespace

Result<bool> PendingRequests::add(const RequestRef& job) {
  const MutexLock lock(mutex_);
  if (is_closed_) {
    return failed_precondition("the session was closed");
  }
  if (static_cast<int>(unanswered_.size()) >= most_) {
    return resource_exhausted("{} requests are under way, and no more are taken until one is answered",
                              most_);
  }
  if (running_.size() + waiting_.size() >= (1 + kAnsweredAlso) * static_cast<size_t>(most_)) {
    return resource_exhausted("{} requests, some of them past their deadline, have not ended yet",
                              running_.size() + waiting_.size());
  }
  unanswered_.emplace(job->number, job);
  if (job->deadline_ns != kNoDeadline) {
    deadlines_.emplace(job->deadline_ns, job->number);
  }
  if (alone_ != nullptr) {
    waiting_.emplace(job->number, job);
    return false;
  }
  running_.insert(job->number);
  return true;
}

Answer PendingRequests::take_answer(RequestJob* job) {
  const MutexLock lock(mutex_);
  unanswered_.erase(job->number);
  deadlines_.erase({job->deadline_ns, job->number});
  waiting_.erase(job->number);
  job->is_answered = true;
  return std::exchange(job->answer, nullptr);
}

std::vector<RequestRef> PendingRequests::expired(int64_t now_ns) {
  std::vector<RequestRef> jobs;
  const MutexLock lock(mutex_);
  for (const auto& [deadline_ns, number] : deadlines_) {
    if (deadline_ns > now_ns) {
      break;
    }
    jobs.push_back(unanswered_.at(number));
  }
  return jobs;
}

std::vector<RequestRef> PendingRequests::close() {
  std::vector<RequestRef> jobs;
  const MutexLock lock(mutex_);
  is_closed_ = true;
  waiting_.clear();
  for (const auto& [number, job] : unanswered_) {
    jobs.push_back(job);
  }
  return jobs;
}

std::vector<RequestRef> PendingRequests::end(const RequestRef& job) {
  constexpr int kStarted = 2;  // for each that ends: work grows again after a squeeze
  std::vector<RequestRef> next;
  const MutexLock lock(mutex_);
  if (running_.erase(job->number) == 0) {
    return next;
  }
  if (alone_ == job) {
    alone_ = nullptr;
  }
  while (alone_ == nullptr && !waiting_.empty() && next.size() < kStarted) {
    next.push_back(take_oldest());
  }
  return next;
}

PendingRequests::Refused PendingRequests::refuse(const RequestRef& job) {
  const MutexLock lock(mutex_);
  if (alone_ == job) {
    return {.is_final = true, .next = nullptr};
  }
  running_.erase(job->number);
  if (!is_closed_) {
    waiting_.emplace(job->number, job);
  }
  if (!running_.empty() || waiting_.empty()) {
    return {};
  }
  alone_ = take_oldest();
  return {.is_final = false, .next = alone_};
}

RequestRef PendingRequests::take_oldest() {
  RequestRef job = std::move(waiting_.begin()->second);
  waiting_.erase(waiting_.begin());
  running_.insert(job->number);
  return job;
}

int PendingRequests::size() const {
  const MutexLock lock(mutex_);
  return static_cast<int>(unanswered_.size());
}

}  // namespace forebay::pipeline
