// Memory for those who ask as C's malloc does: blocks of the process's pool that know their own size, since
// such callers do not say it when they give one back, or say it wrong.
//
// The size lies in the kAlignment bytes in front of a block, so blocks are aligned to kAlignment and other
// frameworks can share what is made in them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "forebay/memory/host/host_pool.h"

namespace forebay::memory {

struct HostBlockStatistics {
  uint64_t bytes = 0;  // out now, as asked for
  uint64_t peak_bytes = 0;
  uint64_t blocks = 0;       // out now
  uint64_t allocations = 0;  // that succeeded
};

/// Thread safe; the pool must outlive it and its blocks. May be used on both sides of a fork if the pool may.
class HostBlocks {
 public:
  explicit HostBlocks(HostPool& pool = process_host_pool());
  HostBlocks(const HostBlocks&) = delete;
  HostBlocks& operator=(const HostBlocks&) = delete;

  /// Null when there is no memory. 0 bytes give a block that may not be read.
  void* allocate(size_t bytes);
  /// `count` times `bytes_each`, all zero; null also when the product is too large to be counted.
  void* allocate_zeroed(size_t count, size_t bytes_each);
  /// A block with the same beginning; null, and the old block stays, when there is no memory. A null `block`
  /// makes it allocate(). What is copied is counted.
  void* reallocate(void* block, size_t bytes);
  /// What one of the others gave, or null.
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
