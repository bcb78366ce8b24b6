// Holds threads back until a test lets them pass.
#pragma once

#include <condition_variable>
#include <mutex>

namespace forebay::testing {

/// Thread safe.
class Gate {
 public:
  /// Blocks until it is open.
  void pass() {
    std::unique_lock lock(mutex_);
    is_reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  /// As in the beginning. While nobody passes.
  void close() {
    const std::lock_guard lock(mutex_);
    is_reached_ = false;
    is_open_ = false;
  }
  /// Until somebody came to pass.
  void wait_until_reached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_reached_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reached_ = false;
  bool is_open_ = false;
};

}  // namespace forebay::testing
