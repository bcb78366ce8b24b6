// What the trace learns of a task: when it was pushed, ready, begun and ended, and what it waited for.
// Nothing is formatted under the mutex, and a task costs two clock reads: a body begins when the previous
// body on its worker ended, and a task is ready when the last task it waited for ended. Internal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/trace/task_log.h"
#include "forebay/base/trace/trace.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

/// All functions but is_on() and ticks() may only be given tasks made while the trace was on.
class TaskTracer {
 public:
  /// `trace` must outlive it.
  explicit TaskTracer(Trace& trace) : trace_(trace) {}

  bool is_on() const { return trace_.is_on(); }
  int64_t ticks() const { return trace_.ticks(); }

  /// Called by the pushing thread; the task's lane and executor are set.
  void note_made(Task& task, const TaskOptions& options);
  void note_sorted_in(const Task& task) FOREBAY_HOLDS;
  /// `last_end`: the latest value that note_issued() and note_finished() have returned.
  void note_ready(Task& task, int64_t last_end) const FOREBAY_HOLDS;
  /// Called by the thread that runs the task. `previous_end`: when the previous body on this thread ended, if
  /// it just did, or 0.
  void note_begun(Task& task, int64_t previous_end) const;
  int64_t note_issued(Task& task) const FOREBAY_HOLDS;
  /// `body_end`: when the body ended that caused this, or 0.
  int64_t note_finished(Task& task, int64_t body_end) FOREBAY_HOLDS;

 private:
  TaskLog& log() const { return *log_.load(std::memory_order_acquire); }
  TaskLog& make_log();

  Trace& trace_;
  std::atomic<TaskLog*> log_{nullptr};  // made for the first traced task
  Mutex making_;
  std::shared_ptr<TaskLog> held_log_ FOREBAY_GUARDED_BY(making_);  // keeps *log_ alive
};

}  // namespace forebay::engine
