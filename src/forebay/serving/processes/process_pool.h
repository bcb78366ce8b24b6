// What the processes of one model share: the queue before them, what the model is, whether it is well.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/serving/processes/process_options.h"
#include "forebay/serving/processes/request_queue.h"
#include "forebay/serving/processes/worker_message.h"

namespace forebay::serving {

/// How the thread of an instance is woken.
struct InstanceBell {
  FileDescriptor wake;  // an eventfd
  std::atomic<bool> is_idle{false};
};

/// Thread safe. Shared by ProcessModel and the threads of its instances.
class ProcessPool {
 public:
  static Result<std::shared_ptr<ProcessPool>> create(ProcessModelOptions options);
  explicit ProcessPool(ProcessModelOptions options);

  const ProcessModelOptions& options() const { return options_; }
  const std::string& who() const { return who_; }  // "model 'resnet'"
  RequestQueue& queue() { return queue_; }
  InstanceBell& bell(size_t instance) { return *bells_[instance]; }

  /// For a request that was pushed: a thread that is idle; where none is, one to mind its deadline.
  void wake_for_request(bool has_deadline);
  void wake_all();

  /// The model of an instance was loaded. failed_precondition if it is not the one that others have loaded.
  Status note_ready(size_t instance, const ReadyMessage& ready) FOREBAY_EXCLUDES(mutex_);
  /// An instance has failed, for the `in_row`-th time in a row. How long it is to pause before it is started
  /// again; nothing: not at all, since the model ends, or could not be loaded at the start.
  std::optional<int64_t> note_failure(size_t instance, int in_row, const Status& why)
      FOREBAY_EXCLUDES(mutex_);
  /// Requests were answered: close() may be waiting for that.
  void note_progress() FOREBAY_EXCLUDES(mutex_);

  /// Until all instances were loaded. The error of the first that could not be; cancelled once
  /// ProcessModelOptions::stop says so.
  Status wait_until_started() FOREBAY_EXCLUDES(mutex_);
  /// Refuses requests, waits until those under way are answered or the deadline has passed, answers what is
  /// left in the queue, and tells the threads to end.
  void end(int64_t deadline_ns) FOREBAY_EXCLUDES(mutex_);
  bool is_ending() const { return is_ending_; }

  /// Set before wait_until_started() returns OK, and never changed after that.
  const ModelMetadata& metadata() const FOREBAY_NO_THREAD_SAFETY_ANALYSIS { return metadata_; }
  /// OK while requests may be answered; otherwise why they cannot be.
  Status status() const FOREBAY_EXCLUDES(mutex_);
  uint64_t failure_count() const { return failure_count_; }

 private:
  void give_up(const Status& why) FOREBAY_EXCLUDES(mutex_);
  /// Refuses requests from now on if no instance is left that may answer them.
  void note_down(size_t instance, int in_row, const Status& why) FOREBAY_EXCLUDES(mutex_);
  bool is_any_up() const FOREBAY_REQUIRES(mutex_);
  int64_t pause_after(int in_row) const;

  const ProcessModelOptions options_;
  const std::string who_;
  RequestQueue queue_;
  std::vector<std::unique_ptr<InstanceBell>> bells_;
  std::atomic<bool> is_ending_{false};
  std::atomic<uint64_t> failure_count_{0};

  mutable Mutex mutex_;
  std::condition_variable changed_;
  ModelMetadata metadata_ FOREBAY_GUARDED_BY(mutex_);
  int ready_count_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool has_started_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status end_ FOREBAY_GUARDED_BY(mutex_);                 // why it could not be loaded, or is closed
  std::vector<bool> is_down_ FOREBAY_GUARDED_BY(mutex_);  // instances that failed too often in a row
  Status refusal_ FOREBAY_GUARDED_BY(mutex_);             // while all are down
};

}  // namespace forebay::serving
