// Threads that do pieces of blocking work, for copies of many objects.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::storage {

/// Holds few pieces at a time, so memory does not grow with the work. After an error no more work is begun.
class WorkQueue {
 public:
  using Work = std::function<Status()>;
  /// Called now and then by the thread that adds and waits, to show how far things are.
  using Glance = std::function<void()>;

  WorkQueue(size_t threads, Glance glance);
  /// Waits for the work that has begun.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Waits for a place in the queue; the first error of the work so far.
  Status add(Work work);
  /// Waits for all of the work; its first error.
  Status finish();

 private:
  void run();

  const size_t most_waiting_;
  const Glance glance_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_ FOREBAY_GUARDED_BY(mutex_);
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_ending_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status first_error_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace forebay::storage
