// A running maximum updated by several threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace forebay::memory {

/// Raises `peak` to at least `value`. Relaxed memory order.
inline void raise_peak(std::atomic<uint64_t>* peak, uint64_t value) {
  uint64_t seen = peak->load(std::memory_order_relaxed);
  while (seen < value && !peak->compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace forebay::memory
