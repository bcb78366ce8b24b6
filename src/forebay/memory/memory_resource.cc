// What a resource that knows nothing of queues does with them.
#include "forebay/memory/memory_resource.h"

#include "forebay/memory/device_driver.h"

namespace forebay::memory {

Result<void*> MemoryResource::allocate_on(size_t bytes, Queue) {
  return allocate(bytes);
}

void MemoryResource::deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept {
  const Result<Fence> fence = record(queue.driver, queue.queue);
  deallocate(pointer, bytes, fence.ok() ? *fence : Fence{});  // a driver that is gone uses nothing any more
}

}  // namespace forebay::memory
