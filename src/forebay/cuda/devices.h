// Which devices this machine has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::cuda {

struct DeviceFacts {
  int number = 0;  // as CUDA counts them in this process
  std::string name;
  uint64_t memory_bytes = 0;
  int capability_major = 0;  // compute capability: 9.0 is major 9, minor 0
  int capability_minor = 0;
  int multiprocessors = 0;
  bool has_memory_pools = false;        // cudaMallocAsync works
  bool has_concurrent_managed = false;  // host and device may use managed memory at once; prefetch works
};

/// The CUDA version that the driver is for: 13000 is 13.0. Errors are those of driver_functions(). Thread
/// safe.
Result<int> driver_version();

/// What there is, at least one. Errors are those of driver_functions(). Thread safe.
Result<std::vector<DeviceFacts>> list_devices();

/// The facts of one device; invalid_argument when there is no such number. Thread safe.
Result<DeviceFacts> describe_device(int number);

}  // namespace forebay::cuda
