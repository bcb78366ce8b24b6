#include "forebay/memory/host/pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace forebay::memory {
namespace {

void* map(size_t bytes, int protection = PROT_READ | PROT_WRITE, int flags = 0) {
  void* pointer = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return pointer == MAP_FAILED ? nullptr : pointer;
}

// Trims both ends of a mapping of `bytes` + kHugePageBytes so that it starts at a huge page.
std::byte* align_to_huge_page(std::byte* start, size_t bytes) {
  const size_t before =
      (kHugePageBytes - reinterpret_cast<uintptr_t>(start) % kHugePageBytes) % kHugePageBytes;
  std::byte* const aligned = start + before;
  if (before > 0) {
    munmap(start, before);
  }
  if (before < kHugePageBytes) {
    munmap(aligned + bytes, kHugePageBytes - before);
  }
  return aligned;
}

}  // namespace

void* map_pages(size_t bytes, bool huge) {
  if (!huge) {
    return map(bytes);
  }
  auto* const start = static_cast<std::byte*>(map(bytes + kHugePageBytes));
  if (start == nullptr) {
    return nullptr;
  }
  std::byte* const aligned = align_to_huge_page(start, bytes);
  madvise(aligned, bytes, MADV_HUGEPAGE);  // only a hint; without it the pages are small
  return aligned;
}

void unmap_pages(void* pointer, size_t bytes) {
  munmap(pointer, bytes);
}

void* map_sparse_pages(size_t bytes) {
  return map(bytes, PROT_READ | PROT_WRITE, MAP_NORESERVE);
}

void* reserve_pages(size_t bytes) {
  auto* const start = static_cast<std::byte*>(map(bytes + kHugePageBytes, PROT_NONE, MAP_NORESERVE));
  return start == nullptr ? nullptr : align_to_huge_page(start, bytes);
}

bool commit_pages(void* pointer, size_t bytes, bool huge) {
  if (mprotect(pointer, bytes, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  if (huge) {
    madvise(pointer, bytes, MADV_HUGEPAGE);  // only a hint; without it the pages are small
  }
  return true;
}

void decommit_pages(void* pointer, size_t bytes) {
  madvise(pointer, bytes, MADV_DONTNEED);
  mprotect(pointer, bytes, PROT_NONE);
}

void empty_pages(void* pointer, size_t bytes) {
  madvise(pointer, bytes, MADV_DONTNEED);
}

}  // namespace forebay::memory
