// The checks of BasicPool; each function is empty if the policy leaves it out. Part of pool_definitions.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>

#include "forebay/base/log/log.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::memory {

namespace pool_detail {

constexpr auto kPoison = std::byte{0xDE};
constexpr size_t kMaxFaults = 100;

inline uint64_t requested_bytes(const Block& block) {
  return block.units * kUnitBytes - block.spare_bytes;
}

}  // namespace pool_detail

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::check_out(BlockId id, uint64_t bytes) {
  if constexpr (Checks::kAny) {
    Block& block = heap_.block(id);
    if (Checks::kPoison && block.is_poisoned) {
      const std::byte* const end = block.start + block.units * kUnitBytes;
      const std::byte* const touched =
          std::find_if(block.start + 0, block.start + block.units * kUnitBytes,
                       [](std::byte value) { return value != pool_detail::kPoison; });
      if (touched != end) {
        add_fault(fmt::format("{} was written to after it was given back",
                              fmt::ptr(static_cast<const void*>(touched))));
      }
    }
    block.is_poisoned = false;
    block.spare_bytes = static_cast<uint32_t>(block.units * kUnitBytes - bytes);
    std::atomic_ref(block.is_out).store(true, std::memory_order_release);
  }
}

template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::check_return(BlockId id, const void* pointer, uint64_t bytes) {
  if constexpr (Checks::kReturns || Checks::kLeaks) {
    Block* const block = id == kNoBlock ? nullptr : &heap_.block(id);
    const bool is_known = block != nullptr && block->start == pointer;
    if (is_known && Checks::kReturns && std::atomic_ref(block->is_out).load(std::memory_order_acquire) &&
        pool_detail::requested_bytes(*block) != bytes) {
      add_fault(fmt::format("{} given back with {} bytes instead of {}", fmt::ptr(pointer), bytes,
                            pool_detail::requested_bytes(*block)));
      return false;
    }
    if (!is_known || !std::atomic_ref(block->is_out).exchange(false, std::memory_order_acq_rel)) {
      add_fault(fmt::format("{} given back, but it is not out", fmt::ptr(pointer)));
      return false;
    }
  }
  return true;
}

template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::check_queue(BlockId id, Queue queue) {
  if constexpr (Checks::kQueues) {
    Block& block = heap_.block(id);
    const PoolQueue& user = queue_by_id(block.user);
    if (user.owner != kEverybody && !(user.queue == queue)) {
      add_fault(fmt::format("{} given back on queue {} of driver {}, but handed to queue {} of driver {}",
                            fmt::ptr(static_cast<const void*>(block.start)), queue.queue, queue.driver,
                            user.queue.queue, user.queue.driver));
      std::atomic_ref(block.is_out).store(true, std::memory_order_release);
      return false;
    }
  }
  return true;
}

// The host can only fill blocks that no queue uses any more.
template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::poison(BlockId id, const PoolQueue& queue) {
  if constexpr (Checks::kPoison) {
    Block& block = heap_.block(id);
    if (queue.owner == kEverybody && is_host_accessible(kind())) {
      std::fill_n(block.start, block.units * kUnitBytes, pool_detail::kPoison);
      block.is_poisoned = true;
    }
  }
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::add_fault(std::string line) {
  std::lock_guard lock(faults_mutex_);
  if (faults_.size() < pool_detail::kMaxFaults) {
    faults_.push_back(std::move(line));
  }
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::report_leaks() {
  if constexpr (Checks::kLeaks) {
    for (const std::unique_ptr<Slab>& slab : slabs_) {
      for (BlockId id = slab->first; id != kNoBlock; id = heap_.block(id).next) {
        if (const Block& block = heap_.block(id); block.is_out) {
          log_warning("pool '{}' ends with {} bytes out at {}", options_.name,
                      pool_detail::requested_bytes(block), fmt::ptr(static_cast<const void*>(block.start)));
        }
      }
    }
  }
}

}  // namespace forebay::memory
