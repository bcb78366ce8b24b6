// How a resource that does not know queues handles them.
#include "forebay/memory/memory_resource.h"

#include "forebay/memory/last_use.h"

namespace forebay::memory {

Result<void*> MemoryResource::allocate_on(size_t bytes, Queue) {
  return allocate(bytes);
}

void MemoryResource::deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept {
  deallocate(pointer, bytes, end_of_queue(queue.driver, queue.queue));
}

}  // namespace forebay::memory
