// Memory that a thread keeps from one call of a kernel to the next.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>

namespace forebay::kernels {

/// At least `count` elements, aligned for vectors, content unspecified. It is the calling thread's, until the
/// thread asks for the same slot again; each slot keeps the greatest size asked for.
template <class T, int kSlot>
T* scratch(int64_t count) {
  thread_local hwy::AlignedFreeUniquePtr<T[]> memory;
  thread_local int64_t size = 0;
  if (size < count) {
    memory.reset();
    memory = hwy::AllocateAligned<T>(static_cast<size_t>(count));
    size = count;
  }
  return memory.get();
}

}  // namespace forebay::kernels
