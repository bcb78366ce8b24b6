// Spans and edges of what ran, when and after what; written in the trace-event JSON format that Perfetto and
// chrome://tracing open. Off by default; one relaxed load when off.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/status.h"

namespace forebay {

struct TraceSpan {
  const char* category;  // static string
  std::string name;
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t thread;
  std::string arguments;  // a JSON object, or empty
};

/// A recorder of spans. Thread safe.
class Trace {
 public:
  explicit Trace(const Clock& clock = steady_clock()) : clock_(clock) {}

  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  void start() { on_.store(true, std::memory_order_relaxed); }
  void stop() { on_.store(false, std::memory_order_relaxed); }

  int64_t now_ns() const { return clock_.now_ns(); }
  void record(const char* category, std::string_view name, int64_t begin_ns, int64_t end_ns,
              std::string arguments = {});

  std::vector<TraceSpan> spans() const;
  void clear();

  /// Writes all spans to `path`.
  Status write_json(const std::string& path) const;

 private:
  const Clock& clock_;
  std::atomic<bool> on_{false};
  mutable std::mutex mutex_;
  std::vector<TraceSpan> spans_;
};

/// `text` as the inside of a JSON string.
std::string escape_json(std::string_view text);

/// The process's trace.
Trace& process_trace();

/// Records from construction to destruction when the trace is on.
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

/// A small number for the calling thread, stable for its life.
uint32_t thread_number();

}  // namespace forebay
