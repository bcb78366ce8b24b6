#include "forebay/base/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>

#include "forebay/base/trace/task_log.h"
#include "forebay/base/trace/thread_names.h"
#include "forebay/base/trace/trace_json.h"

namespace forebay {
namespace {

constexpr int64_t kLongNs = 10'000'000;

template <class Record>
void keep(std::deque<Record>& kept, Record record, size_t most, uint64_t& forgotten) {
  if (kept.size() >= most) {
    kept.pop_front();
    ++forgotten;
  }
  kept.push_back(std::move(record));
}

std::string ids(const std::vector<uint64_t>& tasks) {
  std::string text;
  for (const uint64_t id : tasks) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", id);
  }
  return text;
}

/// Where a device task's work was put, and when.
std::string issue_of(const TraceTask& task) {
  const std::string& queue = task.label->queue;
  return queue.empty()
             ? ""
             : fmt::format(R"(,"queue":"{}","issued_us":{:.3f})", escape_json(queue), task.issued_ns * 1e-3);
}

std::string bytes_of(const TraceTask& task) {
  return task.bytes == 0 ? "" : fmt::format(R"(,"bytes":{})", task.bytes);
}

}  // namespace

TraceSpan span_of(const TraceTask& task) {
  const std::string& site = task.label->site;
  return {.category = "task",
          .name = task.label->name,
          .begin_ns = task.begin_ns,
          .end_ns = task.end_ns,
          .thread = task.thread,
          .arguments = fmt::format(
              R"({{"id":{},"lane":"{}","push_us":{:.3f},"ready_us":{:.3f},"after":[{}]{}}})", task.id,
              escape_json(task.label->lane), task.push_ns * 1e-3, task.ready_ns * 1e-3, ids(task.after),
              issue_of(task) + bytes_of(task) +
                  (site.empty() ? "" : fmt::format(R"(,"site":"{}")", escape_json(site))))};
}

uint32_t thread_number() {
  static std::atomic<uint32_t> next{1};
  thread_local const uint32_t number = [] {
    const uint32_t taken = next.fetch_add(1, std::memory_order_relaxed);
    keep_thread_name(taken);
    return taken;
  }();
  return number;
}

Trace::Trace(const Clock& clock, const TraceOptions& options)
    : clock_(clock), tick_clock_(clock), options_(options) {
}

void Trace::start() {
  const MutexLock lock(mutex_);
  if (started_.ticks == 0) {
    started_ = tick_clock_.mark();
  }
  stopped_ = {};
  on_.store(true, std::memory_order_relaxed);
}

void Trace::stop() {
  const MutexLock lock(mutex_);
  on_.store(false, std::memory_order_relaxed);
  stopped_ = tick_clock_.mark();
}

// Marks that are close together say little about later times, and a task may end after the trace was stopped.
TickScale Trace::scale() const {
  const bool is_long = stopped_.ns - started_.ns >= kLongNs;
  return {started_, is_long ? stopped_ : tick_clock_.mark()};
}

void Trace::record(const char* category, std::string_view name, int64_t begin_ns, int64_t end_ns,
                   std::string arguments) {
  const uint32_t thread = thread_number();
  const MutexLock lock(mutex_);
  keep(spans_, {category, std::string(name), begin_ns, end_ns, thread, std::move(arguments)},
       options_.most_spans, forgotten_);
}

void Trace::count(const char* name, int64_t value) {
  const int64_t at_ns = now_ns();
  const MutexLock lock(mutex_);
  keep(values_, {name, at_ns, value}, options_.most_spans, forgotten_);
}

std::shared_ptr<TaskLog> Trace::add_task_log() {
  const MutexLock lock(mutex_);
  return task_logs_.emplace_back(std::make_shared<TaskLog>(options_.most_tasks));
}

std::vector<TraceTask> Trace::tasks() const {
  const MutexLock lock(mutex_);
  std::vector<TraceTask> tasks;
  const TickScale scale = this->scale();
  for (size_t engine = 0; engine < task_logs_.size(); ++engine) {
    task_logs_[engine]->read(static_cast<uint32_t>(engine), scale, tasks);
  }
  return tasks;
}

std::vector<TraceSpan> Trace::spans(bool with_tasks) const {
  std::vector<TraceSpan> spans;
  if (with_tasks) {
    std::ranges::transform(tasks(), std::back_inserter(spans), span_of);
  }
  const MutexLock lock(mutex_);
  spans.insert(spans.end(), spans_.begin(), spans_.end());
  return spans;
}

std::vector<TraceValue> Trace::values() const {
  const MutexLock lock(mutex_);
  return {values_.begin(), values_.end()};
}

uint64_t Trace::forgotten() const {
  const MutexLock lock(mutex_);
  uint64_t forgotten = forgotten_;
  for (const auto& log : task_logs_) {
    forgotten += log->forgotten();
  }
  return forgotten;
}

void Trace::clear() {
  const MutexLock lock(mutex_);
  spans_.clear();
  values_.clear();
  forgotten_ = 0;
  started_ = on_.load(std::memory_order_relaxed) ? tick_clock_.mark() : TickClock::Mark();
  std::erase_if(task_logs_, [](const auto& log) { return log.use_count() == 1; });  // its engine is gone
  for (const auto& log : task_logs_) {
    log->clear();
  }
}

Status Trace::write_json(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return errno_status(errno, path);
  }
  write_trace_json(*this, file);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    return errno_status(errno, path);
  }
  return ok_status();
}

Trace& process_trace() {
  static Trace* trace = new Trace;  // never destroyed: worker threads may still record during process exit
  return *trace;
}

}  // namespace forebay
