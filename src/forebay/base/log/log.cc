#include "forebay/base/log/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

#include "forebay/base/log/notice.h"
#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"

namespace forebay {
namespace {

// We lock instead of the sink, so that the lock can be kept usable in a forked child.
struct Log {
  Log() {
    const char* const level = std::getenv("FOREBAY_LOG");
    lines.set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
    lines.set_pattern("forebay %l: %v");
    notices.set_level(lines.level());
    notices.set_pattern("forebay: %v");
    keep_usable_in_child(mutex.native());
  }

  Mutex mutex;
  spdlog::logger lines FOREBAY_GUARDED_BY(mutex){"forebay",
                                                 std::make_shared<spdlog::sinks::stderr_sink_st>()};
  spdlog::logger notices FOREBAY_GUARDED_BY(mutex){"forebay",
                                                   std::make_shared<spdlog::sinks::stderr_sink_st>()};
};

Log& process_log() {
  static Log* const instance = new Log;  // never destroyed: threads may log during process exit
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
  const MutexLock lock(log.mutex);
  log.lines.log(to_spdlog(level), "{}", line);
}

void log_notice(std::string_view line) {
  Log& log = process_log();
  const MutexLock lock(log.mutex);
  log.notices.log(spdlog::level::warn, "{}", line);
}

}  // namespace forebay
