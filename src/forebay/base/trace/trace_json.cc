#include "forebay/base/trace/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "forebay/base/trace/task_log.h"

namespace forebay {

std::string escape_json(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

namespace {

constexpr int64_t kMostLevels = 20000;  // points on the curve of waiting tasks

class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}

  template <class... Arguments>
  void event(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    line_ = is_first_ ? "" : ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(line_), format, std::forward<Arguments>(arguments)...);
    std::fwrite(line_.data(), 1, line_.size(), file_);
  }

 private:
  std::FILE* file_;
  std::string line_;
  bool is_first_ = true;
};

void write_span(Writer& writer, const TraceSpan& span) {
  writer.event(R"({{"ph":"X","pid":1,"tid":{},"cat":"{}","name":"{}","ts":{:.3f},"dur":{:.3f},"args":{}}})",
               span.thread, span.category, escape_json(span.name), span.begin_ns * 1e-3,
               (span.end_ns - span.begin_ns) * 1e-3, span.arguments.empty() ? "{}" : span.arguments);
}

/// Spans of one thread must nest or be disjoint; a task that ends on another thread needs a track of its own.
void write_asynchronous(Writer& writer, const TraceSpan& span, size_t number) {
  writer.event(R"({{"ph":"b","pid":1,"tid":{},"cat":"{}","id":{},"name":"{}","ts":{:.3f},"args":{}}})",
               span.thread, span.category, number, escape_json(span.name), span.begin_ns * 1e-3,
               span.arguments);
  writer.event(R"({{"ph":"e","pid":1,"tid":{},"cat":"{}","id":{},"name":"{}","ts":{:.3f}}})", span.thread,
               span.category, number, escape_json(span.name), span.end_ns * 1e-3);
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
      writer.event(R"({{"ph":"s","pid":1,"tid":{},"cat":"edge","id":{},"name":"then","ts":{:.3f}}})",
                   before.thread, ++number, std::max(before.end_ns - 1, before.begin_ns) * 1e-3);
      writer.event(R"({{"ph":"f","bp":"e","pid":1,"tid":{},"cat":"edge","id":{},"name":"then","ts":{:.3f}}})",
                   task.thread, number, task.begin_ns * 1e-3);
    }
  }
}

struct Step {
  int64_t at_ns;
  int unfinished;
  int ready;
  int64_t bytes;
};

void write_level(Writer& writer, int64_t at_ns, const Step& level, bool has_bytes) {
  writer.event(R"({{"ph":"C","pid":1,"name":"tasks","ts":{:.3f},"args":{{"unfinished":{},"ready":{}}}}})",
               at_ns * 1e-3, level.unfinished, level.ready);
  if (has_bytes) {
    writer.event(R"({{"ph":"C","pid":1,"name":"bytes of tasks","ts":{:.3f},"args":{{"unfinished":{}}}}})",
                 at_ns * 1e-3, level.bytes);
  }
}

/// The number of unfinished tasks over time, and their memory; where it changes faster than can be displayed,
/// the maximum.
void write_levels(Writer& writer, const std::vector<TraceTask>& tasks) {
  std::vector<Step> steps;
  for (const TraceTask& task : tasks) {
    const auto bytes = static_cast<int64_t>(task.bytes);
    steps.push_back({task.push_ns, 1, 0, bytes});
    steps.push_back({task.ready_ns, 0, 1, 0});
    steps.push_back({task.begin_ns, 0, -1, 0});
    steps.push_back({task.end_ns, -1, 0, -bytes});
  }
  std::ranges::stable_sort(steps, {}, &Step::at_ns);
  const bool has_bytes = std::ranges::any_of(tasks, [](const TraceTask& task) { return task.bytes > 0; });
  const int64_t lasts_ns = steps.empty() ? 0 : steps.back().at_ns - steps.front().at_ns;
  const int64_t interval_ns = lasts_ns / kMostLevels;
  Step now{0, 0, 0, 0};
  for (size_t i = 0; i < steps.size();) {
    const int64_t at_ns = steps[i].at_ns;
    Step most{at_ns, 0, 0, 0};
    for (; i < steps.size() && steps[i].at_ns <= at_ns + interval_ns; ++i) {
      now.unfinished += steps[i].unfinished;
      now.ready += steps[i].ready;
      now.bytes += steps[i].bytes;
      if (i + 1 == steps.size() || steps[i + 1].at_ns != steps[i].at_ns) {
        most.unfinished = std::max(most.unfinished, now.unfinished);
        most.ready = std::max(most.ready, now.ready);
        most.bytes = std::max(most.bytes, now.bytes);
      }
    }
    write_level(writer, at_ns, i == steps.size() ? now : most, has_bytes);
  }
}

}  // namespace

void write_trace_json(const Trace& trace, std::FILE* file) {
  const std::vector<TraceTask> tasks = trace.tasks();
  Writer writer(file);
  fmt::print(file, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"forgotten\":{}}},\"traceEvents\":[\n",
             trace.forgotten());
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TraceSpan span = span_of(tasks[i]);
    if (tasks[i].is_asynchronous) {
      write_asynchronous(writer, span, i);
    } else {
      write_span(writer, span);
    }
  }
  for (const TraceSpan& span : trace.spans(/*with_tasks=*/false)) {
    write_span(writer, span);
  }
  write_edges(writer, tasks);
  write_levels(writer, tasks);
  for (const TraceValue& value : trace.values()) {
    writer.event(R"({{"ph":"C","pid":1,"name":"{}","ts":{:.3f},"args":{{"value":{}}}}})",
                 escape_json(value.name), value.at_ns * 1e-3, value.value);
  }
  std::fputs("\n]}\n", file);
}

}  // namespace forebay
