// Requests that wait for a free process of a model: bounded, by priority, each with its deadline.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/inference.h"
#include "forebay/serving/inference/queue_sweep.h"

namespace forebay::serving {

/// A request and who waits for its answer. The answer is given once; after that it is empty.
struct WaitingRequest {
  InferRequest request;
  InferAnswer answer;
  int64_t arrived_ns = 0;

  bool is_answered() const { return answer == nullptr; }
};

struct RequestQueueLimits {
  size_t most_requests = 256;
  uint64_t most_bytes = uint64_t{1} << 30;  // see held_bytes()
  uint64_t default_priority = 1;            // of requests without one
};

/// Thread safe. Answers are called without its lock.
class RequestQueue {
 public:
  /// `who` names the model in errors.
  RequestQueue(std::string who, const RequestQueueLimits& limits);

  /// False if the request was refused, and its answer given: the queue is full (resource_exhausted; one of
  /// another priority does not make room, those that are cancelled do), or closed.
  bool push(WaitingRequest waiting) FOREBAY_EXCLUDES(mutex_);
  /// The one of the highest priority that came first; those before it that are cancelled are answered so.
  /// What it returns counts as under way until finished().
  std::optional<WaitingRequest> take() FOREBAY_EXCLUDES(mutex_);
  /// One that was taken has its answer.
  void finished() FOREBAY_EXCLUDES(mutex_);

  /// Answers those whose deadline has passed or that are cancelled; returns the next deadline of those that
  /// are left.
  int64_t expire(int64_t now_ns) FOREBAY_EXCLUDES(mutex_);
  /// From now on requests are refused with `reason`. Those in it stay.
  void close(const Status& reason) FOREBAY_EXCLUDES(mutex_);
  /// Undoes close().
  void open() FOREBAY_EXCLUDES(mutex_);
  /// Answers those in it with `reason`.
  void fail_all(const Status& reason) FOREBAY_EXCLUDES(mutex_);

  bool is_empty() const FOREBAY_EXCLUDES(mutex_);
  /// Whether nothing waits and nothing is under way.
  bool is_idle() const FOREBAY_EXCLUDES(mutex_);

 private:
  using Place = std::pair<uint64_t, uint64_t>;  // priority, number
  using Places = std::map<Place, WaitingRequest>;

  Status refusal(uint64_t bytes) const FOREBAY_REQUIRES(mutex_);
  void answer_cancelled(std::vector<WaitingRequest>& all) const;
  WaitingRequest remove(Places::iterator place) FOREBAY_REQUIRES(mutex_);
  std::vector<WaitingRequest> remove_cancelled() FOREBAY_REQUIRES(mutex_);

  const std::string who_;
  const RequestQueueLimits limits_;
  mutable Mutex mutex_;
  Places waiting_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t next_number_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Status closed_ FOREBAY_GUARDED_BY(mutex_);
  QueueSweep sweep_ FOREBAY_GUARDED_BY(mutex_);
};

/// Gives the answer, which is empty after that.
void give_answer(WaitingRequest& waiting, Result<InferResponse> result);

}  // namespace forebay::serving
