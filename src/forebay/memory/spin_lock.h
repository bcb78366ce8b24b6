// A lock for sections of a few dozen instructions that threads rarely share: one atomic exchange to take, one
// store to release, against two exchanges of std::mutex.
#pragma once

#include <atomic>
#include <thread>

namespace forebay::memory {

/// Works with std::lock_guard. Who waits gives its time slice away after a short spin.
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
