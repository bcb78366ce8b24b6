// How much of the heap is in use, for tests of what a structure costs. Unlike the resident size it leaves out
// what the allocator keeps after it was freed, which depends on how threads happened to share its arenas.
#pragma once

#include <malloc.h>

#include <cstdint>

#include "forebay/base/sanitizers.h"

namespace forebay {

/// The sanitizers' own allocators do not count for mallinfo2().
constexpr bool kCountsHeap = !kIsSanitized;

/// Bytes that are allocated now, by all threads of this process. Source: mallinfo(3).
inline int64_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<int64_t>(heap.uordblks + heap.hblkhd);
}

}  // namespace forebay
