// Allocates small objects that one thread makes and another drops, a few per operation, from the engine's
// cache of blocks.
#pragma once

#include <cstddef>

#include "forebay/engine/graph/block_cache.h"

namespace forebay::ndarray {

/// For std::allocate_shared.
template <class T>
struct BlockAllocator {
  using value_type = T;

  BlockAllocator() = default;
  template <class U>
  BlockAllocator(const BlockAllocator<U>&) {}

  T* allocate(size_t count) { return static_cast<T*>(engine::take_block(count * sizeof(T))); }
  void deallocate(T* objects, size_t count) noexcept { engine::give_block(objects, count * sizeof(T)); }

  friend bool operator==(const BlockAllocator&, const BlockAllocator&) { return true; }
};

/// A base class for objects of one final class that are allocated from blocks.
template <class T>
struct FromBlocks {
  static void* operator new(size_t bytes) { return engine::take_block(bytes); }
  static void operator delete(void* object, size_t bytes) noexcept { engine::give_block(object, bytes); }
};

}  // namespace forebay::ndarray
