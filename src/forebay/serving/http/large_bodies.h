// The threads that parse long JSON, so that the threads of the server go on with other connections.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <system_error>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "forebay/base/caught.h"
#include "forebay/base/sync/job_thread.h"

namespace forebay::serving {

/// Thread safe. What waits is bounded by the server's budget of bodies. There is one queue for all threads,
/// and two threads at least: so no body waits while a thread has nothing to do, and one that takes long holds
/// up nobody.
class LargeBodies {
 public:
  /// JSON of more bytes takes longer to be parsed than a change of threads does by far.
  static constexpr uint64_t kLargeJsonBytes = 128 << 10;

  /// Ends soon once the token says so. Must not throw.
  using Job = absl::AnyInvocable<void(const std::stop_token& stop)>;

  /// resource_exhausted where threads cannot be started.
  static Result<std::unique_ptr<LargeBodies>> start(size_t threads) {
    return caught([threads]() -> Result<std::unique_ptr<LargeBodies>> {
      try {
        return std::make_unique<LargeBodies>(threads);
      } catch (const std::system_error& error) {
        return resource_exhausted("cannot start the threads that parse large requests: {}", error.what());
      }
    });
  }
  explicit LargeBodies(size_t threads)
      : threads_(kMaxWaiting, "large requests to be parsed", std::max(threads, kLeastThreads)) {}
  ~LargeBodies() { stop(); }
  LargeBodies(const LargeBodies&) = delete;
  LargeBodies& operator=(const LargeBodies&) = delete;

  /// As JobThread::add().
  Status add(Job job) {
    return threads_.add([job = std::move(job), stop = end_.get_token()]() mutable { job(stop); });
  }
  /// Takes no more, drops those that wait, and returns when those under way have given up. Nothing in a
  /// forked child.
  void stop() {
    if (!threads_.is_forked_copy()) {
      end_.request_stop();
      threads_.refuse_waiting();
      threads_.stop();
    }
  }

 private:
  static constexpr size_t kMaxWaiting = 4096;
  static constexpr size_t kLeastThreads = 2;

  std::stop_source end_;
  JobThread threads_;
};

}  // namespace forebay::serving
