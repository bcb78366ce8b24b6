// Memory that a thread keeps between calls of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/memory/host/host_pool.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {

/// Returns at least `count` elements, aligned for vectors, with unspecified content. They belong to the
/// calling thread until it asks for the same slot again. Each slot keeps the largest size asked for, in the
/// process's host pool. Throws memory::ScratchRefused, which the engine turns into the task's error.
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
