// Spans, tasks and edges: what ran when, and after what. Written in the trace-event JSON format that Perfetto
// and chrome://tracing open. Off by default, when it costs one relaxed load.
//
// Memory is bounded: the newest tasks, spans and values are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/trace/ticks.h"

namespace forebay {

class TaskLog;
struct TraceTask;  // both in task_log.h

struct TraceSpan {
  const char* category;  // static storage
  std::string name;
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t thread;
  std::string arguments;  // a JSON object, or empty
};

/// The span of a task, with category "task"; the details are in its arguments.
TraceSpan span_of(const TraceTask& task);

/// The value of a named number from some time on.
struct TraceValue {
  const char* name;  // static storage
  int64_t at_ns;
  int64_t value;
};

struct TraceOptions {
  size_t most_tasks = size_t{1} << 18;  // per engine; 64 bytes each with two edges
  size_t most_spans = size_t{1} << 18;  // also limits values
};

/// A recorder. Thread safe.
class Trace {
 public:
  explicit Trace(const Clock& clock = steady_clock(), const TraceOptions& options = {});

  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  void start();
  void stop();

  int64_t now_ns() const { return clock_.now_ns(); }
  /// For callers that record millions of times: see TickClock.
  int64_t ticks() const { return tick_clock_.now(); }
  void record(const char* category, std::string_view name, int64_t begin_ns, int64_t end_ns,
              std::string arguments = {});
  /// Records that `name` has `value` from now on.
  void count(const char* name, int64_t value);
  /// Makes a log for an engine's tasks, in this trace's ticks.
  std::shared_ptr<TaskLog> add_task_log();

  /// All spans, tasks first.
  std::vector<TraceSpan> spans(bool with_tasks = true) const;
  /// In the order in which they ended, engine by engine.
  std::vector<TraceTask> tasks() const;
  std::vector<TraceValue> values() const;
  /// How many tasks, spans and values were dropped for newer ones.
  uint64_t forgotten() const;
  void clear();

  /// Writes everything to `path`.
  Status write_json(const std::string& path) const;

 private:
  TickScale scale() const FOREBAY_REQUIRES(mutex_);

  const Clock& clock_;
  const TickClock tick_clock_;
  const TraceOptions options_;
  std::atomic<bool> on_{false};
  mutable Mutex mutex_;
  TickClock::Mark started_ FOREBAY_GUARDED_BY(mutex_);
  TickClock::Mark stopped_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<TraceSpan> spans_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<TraceValue> values_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t forgotten_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<TaskLog>> task_logs_ FOREBAY_GUARDED_BY(mutex_);
};

/// Escapes `text` for a JSON string.
std::string escape_json(std::string_view text);

/// The process's trace.
Trace& process_trace();

/// Records a span from construction to destruction if the trace is on.
class TraceScope {
 public:
  TraceScope(Trace& trace, const char* category, std::string_view name)
      : trace_(trace.is_on() ? &trace : nullptr), category_(category), name_(name) {
    if (trace_ != nullptr) {
      begin_ns_ = trace_->now_ns();
    }
  }
  ~TraceScope() {
    if (trace_ != nullptr) {
      trace_->record(category_, name_, begin_ns_, trace_->now_ns());
    }
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  Trace* trace_;
  const char* category_;
  std::string_view name_;
  int64_t begin_ns_ = 0;
};

/// A small number for the calling thread, constant for the thread's lifetime.
uint32_t thread_number();

}  // namespace forebay
