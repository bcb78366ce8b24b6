// What a policy that knows the future shows to those who fetch ahead for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/cache/policy/future.h"

namespace forebay::cache {

/// Of a cache, or of a folder that has a quota. Thread safe.
struct PlannedRoom {
  std::atomic<uint64_t> free_bytes{0};  // but for the last few percent
  std::atomic<uint64_t> capacity_bytes{0};
  /// The time, as of Future, of the read that comes last of all that is held. What is read later than that
  /// would not be kept. No limit while what no plan covers goes first.
  std::atomic<double> last_read{kNoRead};
};

}  // namespace forebay::cache
