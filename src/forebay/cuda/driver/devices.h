// Lists the devices of this machine.
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
  bool has_memory_pools = false;  // cudaMallocAsync works
  // Host and device may access managed memory at the same time; prefetch works.
  bool has_concurrent_managed = false;
};

/// The CUDA version that the driver supports: 13000 is 13.0. Errors are those of driver_functions(). Thread
/// safe.
Result<int> driver_version();

/// All devices, at least one. Errors are those of driver_functions(). Thread safe.
Result<std::vector<DeviceFacts>> list_devices();

/// The facts about one device; invalid_argument if it does not exist. Thread safe.
Result<DeviceFacts> describe_device(int number);

}  // namespace forebay::cuda
