// A resource over a device driver's memory.
#pragma once

#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Allocates directly from a registered driver, which is slow, so put a pool on top. Freed memory is returned
/// to the driver after its last use has been waited for. failed_precondition if there is no such driver;
/// allocate() fails with resource_exhausted and the driver's description. As thread safe as the driver.
Result<std::shared_ptr<MemoryResource>> driver_resource(uint32_t driver, MemoryKind kind);

}  // namespace forebay::memory
