// The queue before a model's processes.
#include "forebay/serving/processes/request_queue.h"

#include <algorithm>

namespace forebay::serving {

void give_answer(WaitingRequest& waiting, Result<InferResponse> result) {
  InferAnswer answer = std::exchange(waiting.answer, nullptr);
  answer(std::move(result));
}

RequestQueue::RequestQueue(std::string who, const RequestQueueLimits& limits)
    : who_(std::move(who)), limits_(limits) {
}

Status RequestQueue::refusal(uint64_t bytes) const {
  if (!closed_.ok()) {
    return closed_;
  }
  if (waiting_.size() >= limits_.most_requests) {
    return resource_exhausted("{}: {} requests wait already, the most that may", who_, waiting_.size());
  }
  if (bytes > limits_.most_bytes || bytes_ > limits_.most_bytes - bytes) {
    return resource_exhausted(
        "{}: requests of {} bytes wait already; with {} more they are over the limit of {}", who_, bytes_,
        bytes, limits_.most_bytes);
  }
  return ok_status();
}

bool RequestQueue::push(WaitingRequest waiting) {
  Status status;
  std::vector<WaitingRequest> unwanted;
  {
    const MutexLock lock(mutex_);
    const uint64_t bytes = held_bytes(waiting.request);
    status = refusal(bytes);
    if (status.code() == StatusCode::kResourceExhausted && sweep_.is_due(waiting.arrived_ns)) {
      unwanted = remove_cancelled();
      status = refusal(bytes);
    }
    if (status.ok()) {
      const uint64_t given = waiting.request.priority;
      const Place place = {given == 0 ? limits_.default_priority : given, next_number_++};
      waiting_.emplace(place, std::move(waiting));
      bytes_ += bytes;
    }
  }
  answer_cancelled(unwanted);
  if (!status.ok()) {
    give_answer(waiting, status);
  }
  return status.ok();
}

std::vector<WaitingRequest> RequestQueue::remove_cancelled() {
  std::vector<WaitingRequest> removed;
  for (auto place = waiting_.begin(); place != waiting_.end();) {
    const auto current = place++;
    if (current->second.request.cancel.stop_requested()) {
      removed.push_back(remove(current));
    }
  }
  return removed;
}

WaitingRequest RequestQueue::remove(Places::iterator place) {
  WaitingRequest waiting = std::move(place->second);
  waiting_.erase(place);
  bytes_ -= held_bytes(waiting.request);
  return waiting;
}

std::optional<WaitingRequest> RequestQueue::take() {
  std::vector<WaitingRequest> unwanted;
  std::optional<WaitingRequest> taken;
  {
    const MutexLock lock(mutex_);
    while (!taken && !waiting_.empty()) {
      WaitingRequest first = remove(waiting_.begin());
      if (first.request.cancel.stop_requested()) {
        unwanted.push_back(std::move(first));
      } else {
        ++under_way_;
        taken = std::move(first);
      }
    }
  }
  answer_cancelled(unwanted);
  return taken;
}

void RequestQueue::answer_cancelled(std::vector<WaitingRequest>& all) const {
  for (WaitingRequest& one : all) {
    give_answer(one, cancelled("{}: nobody waits for the answer any more", who_));
  }
}

void RequestQueue::finished() {
  const MutexLock lock(mutex_);
  --under_way_;
}

int64_t RequestQueue::expire(int64_t now_ns) {
  std::vector<WaitingRequest> late;
  std::vector<WaitingRequest> unwanted;
  int64_t next_ns = kNoDeadlineNs;
  {
    const MutexLock lock(mutex_);
    for (auto place = waiting_.begin(); place != waiting_.end();) {
      const auto current = place++;
      const int64_t deadline_ns = current->second.request.deadline_ns;
      if (current->second.request.cancel.stop_requested()) {
        unwanted.push_back(remove(current));
      } else if (deadline_ns <= now_ns) {
        late.push_back(remove(current));
      } else {
        next_ns = std::min(next_ns, deadline_ns);
      }
    }
  }
  answer_cancelled(unwanted);
  for (WaitingRequest& one : late) {
    give_answer(one,
                make_status(StatusCode::kDeadlineExceeded,
                            "{}: the deadline passed while the request waited for a free process, for {} ms",
                            who_, (now_ns - one.arrived_ns) / 1'000'000));
  }
  return next_ns;
}

void RequestQueue::close(const Status& reason) {
  const MutexLock lock(mutex_);
  closed_ = reason;
}

void RequestQueue::open() {
  const MutexLock lock(mutex_);
  closed_ = ok_status();
}

void RequestQueue::fail_all(const Status& reason) {
  std::vector<WaitingRequest> all;
  {
    const MutexLock lock(mutex_);
    while (!waiting_.empty()) {
      all.push_back(remove(waiting_.begin()));
    }
  }
  for (WaitingRequest& one : all) {
    give_answer(one, reason);
  }
}

bool RequestQueue::is_empty() const {
  const MutexLock lock(mutex_);
  return waiting_.empty();
}

bool RequestQueue::is_idle() const {
  const MutexLock lock(mutex_);
  return waiting_.empty() && under_way_ == 0;
}

}  // namespace forebay::serving
