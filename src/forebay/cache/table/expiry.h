// When entries go by the clock: in seconds since 1970, by the system's time, since they outlast the process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "forebay/base/clock.h"

namespace forebay::cache {

inline constexpr uint32_t kNeverExpires = std::numeric_limits<uint32_t>::max();

/// `after_s` seconds after `from_s`; kNeverExpires, if that is later still.
inline uint32_t expiry_after(uint32_t from_s, uint32_t after_s) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{from_s} + after_s, kNeverExpires));
}

inline uint32_t system_seconds() {
  return static_cast<uint32_t>(wall_clock_ns() / 1'000'000'000);
}

}  // namespace forebay::cache
