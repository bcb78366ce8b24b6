#include "forebay/base/trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

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

std::string span_json(const TraceSpan& span) {
  return fmt::format(
      R"({{"ph":"X","pid":1,"tid":{},"cat":"{}","name":"{}","ts":{:.3f},"dur":{:.3f},"args":{}}})",
      span.thread, span.category, escape_json(span.name), span.begin_ns * 1e-3,
      (span.end_ns - span.begin_ns) * 1e-3, span.arguments.empty() ? "{}" : span.arguments);
}

}  // namespace

uint32_t thread_number() {
  static std::atomic<uint32_t> next{1};
  thread_local const uint32_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

void Trace::record(const char* category, std::string_view name, int64_t begin_ns, int64_t end_ns,
                   std::string arguments) {
  std::lock_guard lock(mutex_);
  spans_.push_back({category, std::string(name), begin_ns, end_ns, thread_number(), std::move(arguments)});
}

std::vector<TraceSpan> Trace::spans() const {
  std::lock_guard lock(mutex_);
  return spans_;
}

void Trace::clear() {
  std::lock_guard lock(mutex_);
  spans_.clear();
}

Status Trace::write_json(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return errno_status(errno, path);
  }
  std::fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file);
  bool first = true;
  for (const TraceSpan& span : spans()) {
    std::fprintf(file, "%s%s", first ? "" : ",\n", span_json(span).c_str());
    first = false;
  }
  std::fputs("\n]}\n", file);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    return errno_status(errno, path);
  }
  return ok_status();
}

Trace& process_trace() {
  static Trace* trace = new Trace;  // leaked: worker threads may still record at exit
  return *trace;
}

}  // namespace forebay
