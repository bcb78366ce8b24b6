// The threads that parse long JSON, so that the threads of the server go on with other connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/sync/job_thread.h"

namespace forebay::serving {

/// Thread safe. What waits is bounded by the server's budget of bodies.
class LargeBodies {
 public:
  /// JSON of more bytes takes longer to be parsed than a change of threads does by far.
  static constexpr uint64_t kLargeJsonBytes = 128 << 10;

  explicit LargeBodies(size_t threads) {
    for (size_t i = 0; i < threads; ++i) {
      threads_.push_back(std::make_unique<JobThread>(kMostWaiting, "large requests to be parsed"));
    }
  }

  /// As JobThread::add().
  Status add(JobThread::Job job) {
    return threads_[next_.fetch_add(1, std::memory_order_relaxed) % threads_.size()]->add(std::move(job));
  }
  /// Takes no more, and returns when those that it has are done.
  void stop() {
    for (const std::unique_ptr<JobThread>& thread : threads_) {
      thread->stop();
    }
  }

 private:
  static constexpr size_t kMostWaiting = 4096;

  std::vector<std::unique_ptr<JobThread>> threads_;
  std::atomic<size_t> next_{0};
};

}  // namespace forebay::serving
