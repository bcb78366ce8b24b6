// Time for those who ask millions of times a second: the processor's own counter where the machine's clock is
// made of it, which takes a third of the time of a call to the clock. What a tick is in nanoseconds is found
// afterwards, from two looks at both.
#pragma once

#include <cstdint>

#include "forebay/base/clock.h"

namespace forebay {

/// Thread safe.
class TickClock {
 public:
  explicit TickClock(const Clock& clock);

  /// Never goes back on one thread; between threads no further than the time that a lock takes.
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
  const bool counts_;  // the processor's counter is asked
};

/// Ticks between two marks, and near them, in nanoseconds. Keeps their order.
class TickScale {
 public:
  TickScale(const TickClock::Mark& first, const TickClock::Mark& last);
  int64_t ns_of(int64_t ticks) const;

 private:
  TickClock::Mark first_;
  double ns_a_tick_;
};

}  // namespace forebay
