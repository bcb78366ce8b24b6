#include "forebay/base/trace/trace_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "forebay/base/trace/task_log.h"
#include "forebay/base/trace/thinned_curve.h"
#include "forebay/base/trace/thread_names.h"
#include "forebay/base/utf8.h"

namespace forebay {

std::string escape_json(std::string_view text) {
  const bool is_text = is_utf8(text);
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (byte < 0x20 || (byte >= 0x80 && !is_text)) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

namespace {

class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}

  /// `format` and `arguments` are what follows an event's phase and process.
  template <class... Arguments>
  void event(char phase, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    line_ = is_first_ ? "" : ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(line_), R"({{"ph":"{}","pid":{},)", phase, process_);
    fmt::format_to(std::back_inserter(line_), format, std::forward<Arguments>(arguments)...);
    line_ += '}';
    std::fwrite(line_.data(), 1, line_.size(), file_);
  }

 private:
  std::FILE* file_;
  const pid_t process_ = getpid();
  std::string line_;
  bool is_first_ = true;
};

void write_span(Writer& writer, const TraceSpan& span) {
  writer.event('X', R"("tid":{},"cat":"{}","name":"{}","ts":{:.3f},"dur":{:.3f},"args":{})", span.thread,
               span.category, escape_json(span.name), span.begin_ns * 1e-3,
               (span.end_ns - span.begin_ns) * 1e-3, span.arguments.empty() ? "{}" : span.arguments);
}

/// Spans of one thread must nest or be disjoint; a task that ends on another thread needs a track of its own.
void write_asynchronous(Writer& writer, const TraceSpan& span, size_t number) {
  writer.event('b', R"("tid":{},"cat":"{}","id":{},"name":"{}","ts":{:.3f},"args":{})", span.thread,
               span.category, number, escape_json(span.name), span.begin_ns * 1e-3, span.arguments);
  writer.event('e', R"("tid":{},"cat":"{}","id":{},"name":"{}","ts":{:.3f})", span.thread, span.category,
               number, escape_json(span.name), span.end_ns * 1e-3);
}

using ById = std::map<std::pair<uint32_t, uint64_t>, const TraceTask*>;

/// An arrow starts and ends within the spans of its two tasks.
void write_edges(Writer& writer, const std::vector<TraceTask>& tasks) {
  ById known;
  for (const TraceTask& task : tasks) {
    known.emplace_hint(known.end(), std::pair(task.engine, task.id), &task);
  }
  size_t number = 0;
  for (const TraceTask& task : tasks) {
    for (const uint64_t id : task.after) {
      const auto found = known.find({task.engine, id});
      if (found == known.end() || found->second->is_asynchronous || task.is_asynchronous) {
        continue;
      }
      const TraceTask& before = *found->second;
      writer.event('s', R"("tid":{},"cat":"edge","id":{},"name":"then","ts":{:.3f})", before.thread, ++number,
                   std::max(before.end_ns - 1, before.begin_ns) * 1e-3);
      writer.event('f', R"("bp":"e","tid":{},"cat":"edge","id":{},"name":"then","ts":{:.3f})", task.thread,
                   number, task.begin_ns * 1e-3);
    }
  }
}

struct Step {
  int64_t at_ns;
  int unfinished;
  int ready;
  int64_t bytes;
};

std::vector<Step> steps_of(const std::vector<TraceTask>& tasks) {
  std::vector<Step> steps;
  for (const TraceTask& task : tasks) {
    const auto bytes = static_cast<int64_t>(task.bytes);
    steps.push_back({task.push_ns, 1, 0, bytes});
    steps.push_back({task.ready_ns, 0, 1, 0});
    steps.push_back({task.begin_ns, 0, -1, 0});
    steps.push_back({task.end_ns, -1, 0, -bytes});
  }
  std::ranges::stable_sort(steps, {}, &Step::at_ns);
  return steps;
}

/// The number of unfinished tasks over time, and their memory.
void write_levels(Writer& writer, const std::vector<TraceTask>& tasks) {
  std::vector<CurvePoint<2>> levels;
  std::vector<CurvePoint<1>> bytes;
  Step now{0, 0, 0, 0};
  for (const Step& step : steps_of(tasks)) {
    now.unfinished += step.unfinished;
    now.ready += step.ready;
    now.bytes += step.bytes;
    levels.push_back({step.at_ns, {now.unfinished, now.ready}});
    bytes.push_back({step.at_ns, {now.bytes}});
  }
  for (const auto& [at_ns, values] : thinned(levels)) {
    writer.event('C', R"("name":"tasks","ts":{:.3f},"args":{{"unfinished":{},"ready":{}}})", at_ns * 1e-3,
                 values[0], values[1]);
  }
  if (std::ranges::none_of(tasks, [](const TraceTask& task) { return task.bytes > 0; })) {
    return;
  }
  for (const auto& [at_ns, values] : thinned(bytes)) {
    writer.event('C', R"("name":"bytes of tasks","ts":{:.3f},"args":{{"unfinished":{}}})", at_ns * 1e-3,
                 values[0]);
  }
}

void write_values(Writer& writer, const std::vector<TraceValue>& values) {
  std::map<std::string_view, std::vector<CurvePoint<1>>> curves;
  for (const TraceValue& value : values) {
    curves[value.name].push_back({value.at_ns, {value.value}});
  }
  for (auto& [name, points] : curves) {
    std::ranges::stable_sort(points, {}, &CurvePoint<1>::at_ns);  // threads may record out of order
    for (const auto& [at_ns, value] : thinned(points)) {
      writer.event('C', R"("name":"{}","ts":{:.3f},"args":{{"value":{}}})", escape_json(name), at_ns * 1e-3,
                   value[0]);
    }
  }
}

/// The process is called as its program is.
void write_names(Writer& writer, const std::set<uint32_t>& threads) {
  writer.event('M', R"("name":"process_name","args":{{"name":"{}"}})",
               escape_json(program_invocation_short_name));
  for (const uint32_t thread : threads) {
    const std::string name = thread_name(thread);
    if (!name.empty()) {
      writer.event('M', R"("tid":{},"name":"thread_name","args":{{"name":"{}"}})", thread, escape_json(name));
    }
  }
}

}  // namespace

void write_trace_json(const Trace& trace, std::FILE* file) {
  const std::vector<TraceTask> tasks = trace.tasks();
  Writer writer(file);
  fmt::print(file, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"forgotten\":{}}},\"traceEvents\":[\n",
             trace.forgotten());
  std::set<uint32_t> threads;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TraceSpan span = span_of(tasks[i]);
    threads.insert(span.thread);
    if (tasks[i].is_asynchronous) {
      write_asynchronous(writer, span, i);
    } else {
      write_span(writer, span);
    }
  }
  for (const TraceSpan& span : trace.spans(/*with_tasks=*/false)) {
    threads.insert(span.thread);
    write_span(writer, span);
  }
  write_edges(writer, tasks);
  write_levels(writer, tasks);
  write_values(writer, trace.values());
  write_names(writer, threads);
  std::fputs("\n]}\n", file);
}

}  // namespace forebay
