// Times as remote stores and metadata services write them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace forebay::storage {

/// Seconds since the Unix epoch. A function, so that tests set the time.
using WallClock = std::function<int64_t()>;
int64_t wall_clock_seconds();

/// Nanoseconds since the Unix epoch of "2009-10-12T17:50:30.000Z", with or without fractions; nothing for any
/// other text.
std::optional<int64_t> parse_iso_time(std::string_view text);

}  // namespace forebay::storage
