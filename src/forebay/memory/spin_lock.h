// A lock for critical sections of a few dozen instructions with little contention: one atomic exchange to
// lock and one store to unlock, against two exchanges for std::mutex.
#pragma once

#include <atomic>
#include <thread>

namespace forebay::memory {

/// Works with std::lock_guard. A waiting thread yields after spinning briefly.
class SpinLock {
 public:
  void lock() {
    while (is_taken_.exchange(true, std::memory_order_acquire)) {
      wait();
    }
  }
  void unlock() { is_taken_.store(false, std::memory_order_release); }

 private:
  void wait() const {
    constexpr int kSpins = 64;
    for (int spin = 0; is_taken_.load(std::memory_order_relaxed); ++spin) {
      if (spin >= kSpins) {
        std::this_thread::yield();
      }
    }
  }

  std::atomic<bool> is_taken_{false};
};

}  // namespace forebay::memory
