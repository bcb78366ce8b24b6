// Lengths of time on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::cli {

/// Seconds of "90", "90s", "10m", "2h", "7d"; invalid_argument for anything else, and beyond a hundred years.
Result<uint64_t> parse_duration(std::string_view text);

/// "1d 2h", "90s": what parse_duration() takes, in at most two parts.
std::string duration_text(uint64_t seconds);

/// Makes a validator for CLI11: turns the text into seconds, or says what is wrong with it.
std::string to_seconds(std::string& text);

}  // namespace forebay::cli
