// Simulates a machine that cannot start another thread.
#pragma once

namespace forebay::engine::testing {

/// While an instance lives, no thread can be started in this process: std::thread throws std::system_error,
/// as it does when the system has run out of threads.
class NoMoreThreads {
 public:
  NoMoreThreads();
  ~NoMoreThreads();
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;
};

}  // namespace forebay::engine::testing
