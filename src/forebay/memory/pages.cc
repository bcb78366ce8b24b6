#include "forebay/memory/pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace forebay::memory {
namespace {

void* map(size_t bytes) {
  void* pointer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pointer == MAP_FAILED ? nullptr : pointer;
}

}  // namespace

void* map_pages(size_t bytes, bool huge) {
  if (!huge) {
    return map(bytes);
  }
  // Map with room to align, then cut off both ends.
  auto* const start = static_cast<std::byte*>(map(bytes + kHugePageBytes));
  if (start == nullptr) {
    return nullptr;
  }
  const size_t before =
      (kHugePageBytes - reinterpret_cast<uintptr_t>(start) % kHugePageBytes) % kHugePageBytes;
  std::byte* const aligned = start + before;
  if (before > 0) {
    munmap(start, before);
  }
  if (before < kHugePageBytes) {
    munmap(aligned + bytes, kHugePageBytes - before);
  }
  madvise(aligned, bytes, MADV_HUGEPAGE);  // a wish; without it the pages are small
  return aligned;
}

void unmap_pages(void* pointer, size_t bytes) {
  munmap(pointer, bytes);
}

}  // namespace forebay::memory
