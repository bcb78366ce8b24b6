// Which requests have no answer yet, and which of them may run.
//
// Where the memory limit refuses, a request gives back all it holds and waits until another ends. If nothing
// runs any more, the oldest runs alone: what is refused then needs more than the whole limit.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/pipeline/jobs/job.h"
#include "forebay/pipeline/requests/request_session.h"

namespace forebay::pipeline {

/// A request on its way: a batch of one sample.
struct RequestJob : BatchJob {
  using BatchJob::BatchJob;
  int64_t number = 0;  // running count
  int64_t key = 0;     // of the request; samples may be begun again while others ask
  int64_t deadline_ns = kNoDeadline;
  std::shared_ptr<std::atomic<int64_t>> begun_ns;      // may be null
  std::vector<std::pair<int, tensor::Tensor>> inputs;  // value, tensor: it may have to begin again
  Answer answer;                                       // under the mutex of PendingRequests
  std::atomic<bool> is_answered{false};
};

using RequestRef = std::shared_ptr<RequestJob>;

/// Thread safe. Calls no answer itself.
class PendingRequests {
 public:
  explicit PendingRequests(int most) : most_(most) {}

  /// True: it runs now; false: later. resource_exhausted, or failed_precondition after close().
  Result<bool> add(const RequestRef& job) FOREBAY_EXCLUDES(mutex_);
  /// For whoever comes first; empty for all others.
  Answer take_answer(RequestJob* job) FOREBAY_EXCLUDES(mutex_);
  /// Those without an answer whose deadline is not after `now_ns`.
  std::vector<RequestRef> expired(int64_t now_ns) FOREBAY_EXCLUDES(mutex_);
  /// No further ones are taken. Those without an answer.
  std::vector<RequestRef> close() FOREBAY_EXCLUDES(mutex_);

  /// One that ran has ended: which run now. Nothing for one that did not run.
  std::vector<RequestRef> end(const RequestRef& job) FOREBAY_EXCLUDES(mutex_);

  struct Refused {
    bool is_final = false;  // it ran alone, and still runs
    RequestRef next;        // runs now, alone; may be null
  };
  /// The memory limit refused one that ran and that has given back what it held.
  Refused refuse(const RequestRef& job) FOREBAY_EXCLUDES(mutex_);

  int size() const FOREBAY_EXCLUDES(mutex_);

 private:
  RequestRef take_oldest() FOREBAY_REQUIRES(mutex_);

  const int most_;
  mutable Mutex mutex_;
  std::map<int64_t, RequestRef> unanswered_ FOREBAY_GUARDED_BY(mutex_);         // by number
  std::set<std::pair<int64_t, int64_t>> deadlines_ FOREBAY_GUARDED_BY(mutex_);  // of those: deadline, number
  std::map<int64_t, RequestRef> waiting_ FOREBAY_GUARDED_BY(mutex_);            // for memory; by number
  RequestRef alone_ FOREBAY_GUARDED_BY(mutex_);                                 // it runs, and nothing else
  std::set<int64_t> running_ FOREBAY_GUARDED_BY(mutex_);                        // numbers
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::pipeline
