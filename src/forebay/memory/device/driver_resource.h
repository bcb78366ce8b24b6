// A device driver's memory as a resource.
#pragma once

#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Memory of a registered driver, straight from it: dear, so put a pool over it. What comes back is waited
/// for before the driver gets it. failed_precondition when there is no such driver; allocate() fails with
/// resource_exhausted and the driver's words. Thread safe as the driver is.
Result<std::shared_ptr<MemoryResource>> driver_resource(uint32_t driver, MemoryKind kind);

}  // namespace forebay::memory
