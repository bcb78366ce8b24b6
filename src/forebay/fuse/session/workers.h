// Threads for requests that may take long.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Thread safe. As many threads as were busy at once, up to `most`.
class Workers {
 public:
  explicit Workers(size_t most) : most_(most) {}
  /// Waits for what is being done. What waits is dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Has it done, once a thread is free; on this thread where the system has no other. Neither call must
  /// throw.
  void add(uint64_t id, std::function<void()> job, std::function<void()> dropped);
  /// Calls `dropped` of a job that has not begun, and will not; false if there is none.
  bool drop(uint64_t id);

 private:
  struct Job {
    uint64_t id = 0;
    std::function<void()> run;
    std::function<void()> dropped;
  };

  bool has_thread() FOREBAY_REQUIRES(mutex_);
  void work();

  const size_t most_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_ FOREBAY_GUARDED_BY(mutex_);
  size_t idle_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::fuse
