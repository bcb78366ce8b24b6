// Waiting for a condition, until a deadline of steady_clock().
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/units.h"

namespace forebay {

/// Whether `is_over()`, which is called with the lock held, was true by `deadline_ns`. It is looked at when
/// `changed` is notified, and once a second besides: whoever forgets to notify is late, and stops nobody.
template <class IsOver>
bool wait_until(std::condition_variable& changed, UniqueMutexLock& lock, int64_t deadline_ns,
                const IsOver& is_over) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  while (!is_over()) {
    const int64_t now_ns = steady_clock().now_ns();
    if (now_ns >= deadline_ns) {
      return false;
    }
    const int64_t left_ns = now_ns < deadline_ns - kSecond ? kSecond : deadline_ns - now_ns;
    changed.wait_for(lock.native(), std::chrono::nanoseconds(left_ns));
  }
  return true;
}

}  // namespace forebay
