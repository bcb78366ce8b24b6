#include "forebay/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <mutex>

#include "forebay/base/sync/fork.h"

namespace forebay {
namespace {

// We lock instead of the sink, so that the lock can be kept usable in a forked child.
struct Log {
  std::mutex mutex;
  spdlog::logger lines{"forebay", std::make_shared<spdlog::sinks::stderr_sink_st>()};
};

Log& process_log() {
  // Never destroyed: threads may log during process exit.
  static Log* instance = [] {
    auto* created = new Log;
    const char* level = std::getenv("FOREBAY_LOG");
    created->lines.set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
    created->lines.set_pattern("forebay %l: %v");
    keep_usable_in_child(created->mutex);
    return created;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

void log_line(LogLevel level, std::string_view line) {
  Log& log = process_log();
  std::lock_guard lock(log.mutex);
  log.lines.log(to_spdlog(level), "{}", line);
}

}  // namespace forebay
