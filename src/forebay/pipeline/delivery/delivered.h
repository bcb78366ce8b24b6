// The consumer's side: its position, the errors so far, how long it waited, and how a finished batch becomes
// a delivery. Knows nothing of batches in progress.
#pragma once

#include <optional>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/pipeline/jobs/job.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {

/// The error that a batch ends with under the policy; OK if it is delivered.
Status first_error(const BatchJob& batch, OnError policy);

/// Thread safe. `plan` and `clock` must outlive it.
class Delivered {
 public:
  Delivered(const Plan& plan, OnError policy, const Clock& clock);

  /// Opens the output slots of a new batch, expecting it to look like the previous one.
  void open_slots(BatchJob* batch) const FOREBAY_EXCLUDES(mutex_);

  /// Turns the batch into a delivery, or its error. Either way it counts as delivered, unless the error is
  /// none of its samples' own: then who goes on from this position reads it again.
  Result<Delivery> take(const BatchJob& batch) FOREBAY_EXCLUDES(mutex_);

  Position position() const FOREBAY_EXCLUDES(mutex_);
  /// For a session that has delivered nothing.
  void set_position(const Position& position) FOREBAY_EXCLUDES(mutex_);
  /// Starts the next epoch of the feeds, whose data ended at `stream_index`, and returns its first request.
  FeedRequest begin_epoch(int64_t stream_index) FOREBAY_EXCLUDES(mutex_);

  /// Records one call that waited for a batch from `entered_ns` until now.
  void note_wait(int64_t entered_ns, size_t samples) FOREBAY_EXCLUDES(mutex_);
  /// Counts of batches and samples, and the consumer's times.
  RunTimes times() const FOREBAY_EXCLUDES(mutex_);

  /// Copies the log as it is now.
  ErrorLog errors() const FOREBAY_EXCLUDES(mutex_);
  uint64_t error_count() const FOREBAY_EXCLUDES(mutex_);

 private:
  int64_t note(const BatchJob& batch, const Status& error) FOREBAY_EXCLUDES(mutex_);
  /// `counts`: whether the batch is done with. Else it may be made again and say then what its samples lack;
  /// now only what ended it is logged.
  void log_faults(const BatchJob& batch, bool counts) FOREBAY_REQUIRES(mutex_);
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
