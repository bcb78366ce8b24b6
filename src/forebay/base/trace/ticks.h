// Time for callers that ask millions of times a second: the processor's own counter if the system's clock is
// derived from it, which takes a third of the time of a clock call. The length of a tick is determined
// afterwards, from two readings of both.
#pragma once

#include <cstdint>

#include "forebay/base/clock.h"

namespace forebay {

/// Thread safe.
class TickClock {
 public:
  explicit TickClock(const Clock& clock);

  /// Monotonic on one thread; between threads, off by no more than the time that a lock takes.
  int64_t now() const {
#if defined(__x86_64__)
    if (counts_) {
      return static_cast<int64_t>(__builtin_ia32_rdtsc());
    }
#endif
    return clock_.now_ns();
  }

  /// The same moment in ticks and in nanoseconds.
  struct Mark {
    int64_t ticks = 0;
    int64_t ns = 0;
  };
  Mark mark() const;

 private:
  const Clock& clock_;
  const bool counts_;  // whether to read the processor's counter
};

/// Converts ticks between or near two marks to nanoseconds, preserving their order.
class TickScale {
 public:
  TickScale(const TickClock::Mark& first, const TickClock::Mark& last);
  int64_t ns_of(int64_t ticks) const;

 private:
  TickClock::Mark first_;
  double ns_a_tick_;
};

}  // namespace forebay
