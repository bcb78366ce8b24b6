// Memory straight from the driver, of three kinds. Each request is a call that takes microseconds and may
// wait for the whole device: put a memory::Pool over it.
#pragma once

#include <memory>

#include "forebay/cuda/device.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

// All are thread safe and keep the device alive. Blocks are aligned to 256 bytes. resource_exhausted when
// there is no such memory. What comes back waits for its fence on the calling thread, and may wait for the
// device.

/// The device's own memory (cuMemAlloc).
std::shared_ptr<memory::MemoryResource> device_resource(std::shared_ptr<Device> device);

/// Page-locked host memory (cuMemHostAlloc), usable from every context: copies between it and a device run
/// beside other work. The host's other work loses these pages.
std::shared_ptr<memory::MemoryResource> pinned_resource(std::shared_ptr<Device> device);

/// Memory that moves between host and device as it is touched (cuMemAllocManaged); there may be more of it
/// than the device has. Moving by page faults is slow: prefetch_resource.h moves it ahead.
std::shared_ptr<memory::MemoryResource> managed_resource(std::shared_ptr<Device> device);

}  // namespace forebay::cuda
