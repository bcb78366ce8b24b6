// Time as an interface, so that code that depends on time is tested by stepping, never by sleeping.
#pragma once

#include <atomic>
#include <cstdint>

namespace forebay {

/// Monotonic nanoseconds. Thread safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_ns() const = 0;
};

/// The system's steady clock.
const Clock& steady_clock();

/// Nanoseconds since the Unix epoch, by the system's clock, which may be set back.
int64_t wall_clock_ns();

/// A clock that only moves when told to.
class SteppedClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_.load(std::memory_order_acquire); }
  void advance_ns(int64_t step_ns) { now_ns_.fetch_add(step_ns, std::memory_order_acq_rel); }

 private:
  std::atomic<int64_t> now_ns_{0};
};

}  // namespace forebay
