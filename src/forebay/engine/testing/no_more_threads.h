// The machine has no thread left to give.
#pragma once

namespace forebay::engine::testing {

/// While one lives, no thread can be started in this process: std::thread throws std::system_error, as when
/// the system has run out of them.
class NoMoreThreads {
 public:
  NoMoreThreads();
  ~NoMoreThreads();
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;
};

}  // namespace forebay::engine::testing
