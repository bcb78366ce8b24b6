// Disturbs the schedule of threads: while it is on, a thread that locks or unlocks a mutex, wakes others or
// is woken yields its processor now and then. It intercepts the C library's own functions, which a program
// that links this file replaces; so the engine has no hook, and nothing of this is in a release.
#pragma once

#include <cstdint>

namespace forebay::engine::testing {

/// False under sanitizers, which replace the same functions.
bool can_make_noise();

/// Active during its lifetime. Each thread's noise follows from `seed` and from the order in which threads
/// first ask.
class ScheduleNoise {
 public:
  explicit ScheduleNoise(uint32_t seed);
  ~ScheduleNoise();
  ScheduleNoise(const ScheduleNoise&) = delete;
  ScheduleNoise& operator=(const ScheduleNoise&) = delete;

  /// How often a thread has yielded since.
  static uint64_t count();
};

}  // namespace forebay::engine::testing
