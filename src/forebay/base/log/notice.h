// What users are told though nothing is wrong, as that something was begun for them.
#pragma once

#include <string_view>

namespace forebay {

/// Writes the line to the process's log (log.h), where warnings are shown. Thread safe; never throws.
void log_notice(std::string_view line);

}  // namespace forebay
