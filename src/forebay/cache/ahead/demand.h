// What readers are waiting for of a store, as far as it comes from upstream.
#pragma once

#include <cstdint>

namespace forebay::cache {

struct Demand {
  uint64_t in_flight_bytes = 0;
  uint64_t landed_bytes = 0;  // since the store was opened
};

}  // namespace forebay::cache
