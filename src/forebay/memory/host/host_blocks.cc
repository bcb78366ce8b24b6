#include "forebay/memory/host/host_blocks.h"

#include <algorithm>
#include <limits>

#include "forebay/memory/atomic_peak.h"
#include "forebay/memory/copy.h"

namespace forebay::memory {
namespace {

constexpr size_t kHeaderBytes = kAlignment;
constexpr size_t kMaxBlockBytes = std::numeric_limits<size_t>::max() - kHeaderBytes;

void* start_of(void* block) {
  return static_cast<std::byte*>(block) - kHeaderBytes;
}

size_t& bytes_of(void* block) {
  return *static_cast<size_t*>(start_of(block));
}

}  // namespace

HostBlocks::HostBlocks(HostPool& pool) : pool_(pool) {
}

void* HostBlocks::allocate(size_t bytes) {
  if (bytes > kMaxBlockBytes) {
    return nullptr;
  }
  const Result<void*> start = pool_.allocate(bytes + kHeaderBytes);
  return start.ok() ? hand_out(*start, bytes) : nullptr;
}

void* HostBlocks::allocate_zeroed(size_t count, size_t bytes_each) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, bytes_each, &bytes) || bytes > kMaxBlockBytes) {
    return nullptr;
  }
  const Result<void*> start = pool_.allocate_zeroed(bytes + kHeaderBytes);
  return start.ok() ? hand_out(*start, bytes) : nullptr;
}

void* HostBlocks::hand_out(void* start, size_t bytes) {
  void* const block = static_cast<std::byte*>(start) + kHeaderBytes;
  bytes_of(block) = bytes;
  count_out(bytes);
  return block;
}

void HostBlocks::count_out(size_t bytes) {
  allocations_.fetch_add(1, std::memory_order_relaxed);
  blocks_.fetch_add(1, std::memory_order_relaxed);
  raise_peak(&peak_bytes_, bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

// Only blocks that the pool handles whole have unrequested room.
bool HostBlocks::fits_in_place(size_t old_bytes, size_t bytes) const {
  const size_t old_whole = old_bytes + kHeaderBytes;
  const size_t whole = bytes + kHeaderBytes;
  return std::min(old_whole, whole) > HostPool::kLargestSmall &&
         HostPool::rounded_bytes(old_whole) == HostPool::rounded_bytes(whole);
}

void* HostBlocks::reallocate(void* block, size_t bytes) {
  if (block == nullptr) {
    return allocate(bytes);
  }
  if (bytes > kMaxBlockBytes) {
    return nullptr;
  }
  const size_t old_bytes = bytes_of(block);
  if (fits_in_place(old_bytes, bytes)) {
    bytes_of(block) = bytes;
    const size_t more = bytes - old_bytes;  // unsigned: adding it may subtract
    raise_peak(&peak_bytes_, bytes_.fetch_add(more, std::memory_order_relaxed) + more);
    return block;
  }
  void* const moved = allocate(bytes);
  if (moved != nullptr) {
    copy(moved, block, std::min(old_bytes, bytes));
    deallocate(block);
  }
  return moved;
}

void HostBlocks::deallocate(void* block) noexcept {
  if (block == nullptr) {
    return;
  }
  const size_t bytes = bytes_of(block);
  blocks_.fetch_sub(1, std::memory_order_relaxed);
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  pool_.deallocate(start_of(block), bytes + kHeaderBytes, Fence{});
}

HostBlockStatistics HostBlocks::statistics() const {
  return {.bytes = bytes_.load(),
          .peak_bytes = peak_bytes_.load(),
          .blocks = blocks_.load(),
          .allocations = allocations_.load()};
}

}  // namespace forebay::memory
