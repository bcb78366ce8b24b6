#include "forebay/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

namespace forebay {
namespace {

spdlog::logger& logger() {
  // Leaked on purpose: threads may log while the process exits.
  static spdlog::logger* instance = [] {
    auto* created = new spdlog::logger("forebay", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    const char* level = std::getenv("FOREBAY_LOG");
    created->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
    created->set_pattern("forebay %l: %v");
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
  logger().log(to_spdlog(level), "{}", line);
}

}  // namespace forebay
