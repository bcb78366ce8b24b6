// Disturbs the schedule of threads: while it is on, who takes or lets go of a mutex, wakes others or wakes
// gives its processor away now and then. Its points are the C library's own functions, which a program that
// links this file replaces, so that the engine has no hook and nothing of this is in what is released.
#pragma once

#include <cstdint>

namespace forebay::engine::testing {

/// False under sanitizers, which replace the same functions.
bool can_make_noise();

/// On while it lives. Each thread's noise follows from `seed` and from which thread it is to ask, in order.
class ScheduleNoise {
 public:
  explicit ScheduleNoise(uint32_t seed);
  ~ScheduleNoise();
  ScheduleNoise(const ScheduleNoise&) = delete;
  ScheduleNoise& operator=(const ScheduleNoise&) = delete;

  /// How often a processor was given away since.
  static uint64_t count();
};

}  // namespace forebay::engine::testing
