// The error of a pool in which nothing fits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

struct PoolReport {
  std::string name;
  uint64_t asked_bytes = 0;
  Queue queue;
  uint64_t maximum_bytes = 0;
  uint64_t reserved_bytes = 0;
  std::vector<uint64_t> hole_bytes;  // sizes of all holes
  Status refusal;                    // the upstream's last error, if any
};

/// resource_exhausted, with the requested size, what is allocated and free, the share of free bytes outside
/// the largest hole (fragmentation), and the five largest holes.
Status exhausted_status(PoolReport report);

}  // namespace forebay::memory
