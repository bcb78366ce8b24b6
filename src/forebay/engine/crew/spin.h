// Busy-waiting for a short time, before a thread pays for going to sleep and being woken.
#pragma once

#include <chrono>
#include <mutex>

#include "forebay/base/usable_cpus.h"

namespace forebay::engine {

/// Tells the processor that this is a spin loop.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether what a thread waits for can happen while it spins: not where the process may use one processor
/// only. Found when the library is loaded: a child that was forked while a thread finds it at its first use
/// would wait for that thread for ever.
inline const bool can_spin = usable_cpus() != 1;

/// Spins until `is_over()`, or returns false after `most`. Calls `is_over` every `between`, the first time
/// after that delay, because what it reads may be in the cache of the processor that is about to change it.
/// Returns false at once where spinning is of no use.
template <class Condition>
bool spin_until(std::chrono::nanoseconds most, std::chrono::nanoseconds between, Condition is_over) {
  if (!can_spin) {
    return false;
  }
  auto now = std::chrono::steady_clock::now();
  const auto end = now + most;
  while (now < end) {
    const auto next_look = now + between;
    do {
      pause();
      now = std::chrono::steady_clock::now();
    } while (now < next_look);
    if (is_over()) {
      return true;
    }
  }
  return false;
}

/// Locks a mutex that is only ever held for a fraction of a microsecond.
template <class Lock>
void lock_spinning(Lock& mutex) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (mutex.try_lock()) {
      return;
    }
    pause();
  }
  mutex.lock();
}

}  // namespace forebay::engine
