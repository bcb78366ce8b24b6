// Memory directly from the driver, of three kinds. Each request is a driver call that takes microseconds and
// may wait for the whole device: put a memory::Pool on top.
#pragma once

#include <memory>

#include "forebay/cuda/device.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

// All are thread safe and keep the device alive. Blocks are aligned to 256 bytes. resource_exhausted if there
// is no such memory. Freeing blocks the calling thread until the fence has passed, and may wait for the
// device.

/// The device's own memory (cuMemAlloc).
std::shared_ptr<memory::MemoryResource> device_resource(std::shared_ptr<Device> device);

/// Page-locked host memory (cuMemHostAlloc), usable from every context: copies between it and a device
/// overlap with other work. These pages are not available to the rest of the host.
std::shared_ptr<memory::MemoryResource> pinned_resource(std::shared_ptr<Device> device);

/// Memory that migrates between host and device as it is touched (cuMemAllocManaged); there may be more of it
/// than the device has. Migration by page faults is slow; prefetch_resource.h migrates ahead of use.
std::shared_ptr<memory::MemoryResource> managed_resource(std::shared_ptr<Device> device);

}  // namespace forebay::cuda
