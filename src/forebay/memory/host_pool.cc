#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

std::shared_ptr<MemoryResource> host_pool() { return host_resource(); }

}  // namespace forebay::memory
