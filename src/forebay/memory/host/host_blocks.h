// Memory for callers that use the interface of C's malloc: blocks of the process's pool that know their own
// size, since such callers do not give the size when they free a block, or give a wrong one.
//
// The size is stored in the kAlignment bytes in front of a block, so blocks are aligned to kAlignment and
// other frameworks can share them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "forebay/memory/host/host_pool.h"

namespace forebay::memory {

struct HostBlockStatistics {
  uint64_t bytes = 0;  // allocated now, as requested
  uint64_t peak_bytes = 0;
  uint64_t blocks = 0;       // allocated now
  uint64_t allocations = 0;  // successful ones
};

/// Thread safe. The pool must outlive it and its blocks. Usable on both sides of a fork if the pool is.
class HostBlocks {
 public:
  explicit HostBlocks(HostPool& pool = process_host_pool());
  HostBlocks(const HostBlocks&) = delete;
  HostBlocks& operator=(const HostBlocks&) = delete;

  /// Null if there is no memory. 0 bytes give a pointer that must not be dereferenced.
  void* allocate(size_t bytes);
  /// Allocates `count` times `bytes_each` zeroed bytes; null also if the product overflows.
  void* allocate_zeroed(size_t count, size_t bytes_each);
  /// Resizes a block, keeping its content; null if there is no memory, and then the old block stays valid. A
  /// null `block` means allocate(). Bytes copied are counted.
  void* reallocate(void* block, size_t bytes);
  /// Frees a block from one of the functions above; null is allowed.
  void deallocate(void* block) noexcept;

  HostBlockStatistics statistics() const;

 private:
  void* hand_out(void* start, size_t bytes);
  bool fits_in_place(size_t old_bytes, size_t bytes) const;
  void count_out(size_t bytes);

  HostPool& pool_;
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> peak_bytes_{0};
  std::atomic<uint64_t> blocks_{0};
  std::atomic<uint64_t> allocations_{0};
};

}  // namespace forebay::memory
