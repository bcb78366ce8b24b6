// Memory that a thread keeps from one call of a kernel to the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/memory/host/host_pool.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {

/// At least `count` elements, aligned for vectors, content unspecified. It is the calling thread's, until the
/// thread asks for the same slot again; each slot keeps the greatest size asked for, in the process's host
/// pool. Throws memory::ScratchRefused, which the engine makes the error of the task.
template <class T, int kSlot>
T* scratch(int64_t count) {
  struct Kept {
    T* data = nullptr;
    int64_t size = 0;

    ~Kept() { give_back(); }
    void give_back() {
      if (data != nullptr) {
        memory::process_host_pool().deallocate(data, static_cast<size_t>(size) * sizeof(T), Fence{});
        data = nullptr;
        size = 0;
      }
    }
  };
  thread_local Kept kept;
  if (kept.size < count) {
    kept.give_back();
    Result<void*> block = memory::process_host_pool().allocate(static_cast<size_t>(count) * sizeof(T));
    if (!block.ok()) {
      throw memory::ScratchRefused(std::move(block).status());
    }
    kept.data = static_cast<T*>(*block);
    kept.size = count;
  }
  return kept.data;
}

}  // namespace forebay::kernels
