// Wakes a thread that waits for work or until a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace forebay::cache {

/// Thread safe; one thread waits. wake() takes no lock, so that it may be called anywhere, and a fork leaves
/// nothing locked.
class WakeUp {
 public:
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void wake();
  /// Returns after wake(), called since the last return, or after the time; without one, only after wake().
  void wait(std::optional<int64_t> most_ns);

 private:
  const int event_;  // an eventfd
  std::atomic<bool> is_awake_{false};
};

}  // namespace forebay::cache
