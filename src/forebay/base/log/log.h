// The process's log. Writes to standard error; FOREBAY_LOG sets the level (trace, debug, info, warning,
// error, off; default warning).
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace forebay {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Thread safe; never throws.
void log_line(LogLevel level, std::string_view line);

template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace forebay
