// How much may be fetched before its readers ask for it.
#pragma once

#include <cstdint>

#include "forebay/base/clock.h"

namespace forebay::cache {

struct FetchAheadOptions {
  /// For each reader: what may be fetched before its time where other bytes have to go for it; never more
  /// than a sixteenth of the cache, nor, for all readers together, a quarter.
  uint64_t ahead_bytes = uint64_t{64} << 20;
  /// For all readers: what may be on its way at once.
  uint64_t in_flight_bytes = uint64_t{32} << 20;
  /// For each reader: what is on its way at first, while it waits for its first batch. It grows as that
  /// lands.
  uint64_t first_bytes = uint64_t{64} << 10;
  /// For all readers of a store: what is on its way while it is measured how fast its answers are.
  uint32_t little_reads = 4;
  uint32_t in_flight_reads = 64;  // 0: nothing is fetched ahead
  uint64_t bytes_per_second = 0;  // 0: as fast as it comes
  const Clock* clock = nullptr;   // null: the system's steady clock
};

}  // namespace forebay::cache
