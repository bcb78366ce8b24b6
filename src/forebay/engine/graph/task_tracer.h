// What the trace is told of a task: when it was pushed, could have begun, began and ended, and what it waited
// for. Written without a word under the mutex, with two looks at the clock a task: a body begins where the
// one before it on its worker has ended, and a task is ready as soon as the last that it waited for has
// ended. Internal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/trace/task_log.h"
#include "forebay/base/trace/trace.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

/// All but is_on() and ticks() only of tasks that were made while it was on.
class TaskTracer {
 public:
  /// `trace` must outlive it.
  explicit TaskTracer(Trace& trace) : trace_(trace) {}

  bool is_on() const { return trace_.is_on(); }
  int64_t ticks() const { return trace_.ticks(); }

  /// By the thread that pushes it; its lane and executor are known.
  void note_made(Task& task, const TaskOptions& options);
  void note_sorted_in(const Task& task) FOREBAY_HOLDS;
  /// `last_end`: the latest of all that note_issued() and note_finished() have returned.
  void note_ready(Task& task, int64_t last_end) const FOREBAY_HOLDS;
  /// By the thread that runs it. `previous_end`: when the body before it on this thread ended just now, or 0.
  void note_begun(Task& task, int64_t previous_end) const;
  int64_t note_issued(Task& task) const FOREBAY_HOLDS;
  /// `body_end`: of the body whose end has brought this about, or 0.
  int64_t note_finished(Task& task, int64_t body_end) FOREBAY_HOLDS;

 private:
  TaskLog& log() const { return *log_.load(std::memory_order_acquire); }
  TaskLog& make_log();

  Trace& trace_;
  std::atomic<TaskLog*> log_{nullptr};  // made for the first traced task
  Mutex making_;
  std::shared_ptr<TaskLog> held_log_ FOREBAY_GUARDED_BY(making_);  // keeps log_
};

}  // namespace forebay::engine
