// What was delivered: where the consumer stands, what broke on the way, how long it waited; and how a
// finished batch becomes a delivery. Knows nothing of batches under way.
#pragma once

#include <optional>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/pipeline/schedule/job.h"
#include "forebay/pipeline/session.h"

namespace forebay::pipeline {

/// A place in the stream of batches, from which a session goes on.
struct Position {
  int64_t iterations = 0;    // batches delivered before
  int64_t stream_index = 0;  // of the first phase's stream: the next sample
  int64_t taken = 0;         // with expand: how much of what comes of that sample was delivered
  FeedRequest feed;          // with feeds: the next request
};

/// The error that a batch ends with under the policy; OK where it is delivered.
Status first_error(const BatchJob& batch, OnError policy);

/// Thread safe. `plan` and `clock` must outlive it.
class Delivered {
 public:
  Delivered(const Plan& plan, OnError policy, const Clock& clock);

  /// Opens the slots of a batch that is being made: it will probably look like the one before.
  void open_slots(BatchJob* batch) const FOREBAY_EXCLUDES(mutex_);

  /// The batch as a delivery, or its error. Either way it counts as delivered.
  Result<Delivery> take(const BatchJob& batch) FOREBAY_EXCLUDES(mutex_);

  Position position() const FOREBAY_EXCLUDES(mutex_);
  /// Of a session that has delivered nothing.
  void set_position(const Position& position) FOREBAY_EXCLUDES(mutex_);
  /// The feeds begin their next epoch: their first request of it.
  FeedRequest begin_epoch() FOREBAY_EXCLUDES(mutex_);

  /// One call that waited for a batch from `entered_ns` to now.
  void note_wait(int64_t entered_ns, size_t samples) FOREBAY_EXCLUDES(mutex_);
  /// Batches, samples and the consumer's times.
  RunTimes times() const FOREBAY_EXCLUDES(mutex_);

  /// For the thread that takes batches.
  const ErrorLog& errors() const FOREBAY_NO_THREAD_SAFETY_ANALYSIS { return log_; }

 private:
  int64_t note(const BatchJob& batch) FOREBAY_EXCLUDES(mutex_);
  void log_faults(const BatchJob& batch) FOREBAY_REQUIRES(mutex_);
  void step_past(const BatchJob& batch) FOREBAY_REQUIRES(mutex_);
  void expect_more_of(const std::vector<tensor::Batch>& outputs) FOREBAY_EXCLUDES(mutex_);

  const Plan& plan_;
  const OnError policy_;
  const Clock& clock_;
  const int64_t opened_ns_;

  mutable Mutex mutex_;
  Position position_ FOREBAY_GUARDED_BY(mutex_);
  ErrorLog log_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::optional<tensor::TensorSpec>> expected_ FOREBAY_GUARDED_BY(mutex_);  // by output
  bool has_delivered_ FOREBAY_GUARDED_BY(mutex_) = false;
  int64_t last_delivery_ns_ FOREBAY_GUARDED_BY(mutex_) = 0;
  RunTimes times_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::pipeline
