// Lets calls through at a limited rate of requests and of bytes: demand before prefetch, each kind in order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>

#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/context.h"
#include "forebay/storage/remote/fork_local.h"
#include "forebay/storage/remote/timer.h"
#include "forebay/storage/remote/token_bucket.h"

namespace forebay::storage {

/// 0: no limit. What gathers while nobody asks lasts for a second.
struct RateLimits {
  double requests_per_second = 0;
  double bytes_per_second = 0;

  bool any() const { return requests_per_second > 0 || bytes_per_second > 0; }
};

/// Thread safe. Shared by all stores that one limit is for. A forked child begins with full buckets, and
/// without what waited in the parent.
class RateLimiter {
 public:
  /// Called without a lock: inline if the call may go at once, else on the timer's thread. Not wanted any
  /// more: the error.
  using Go = absl::AnyInvocable<void(Status)>;

  explicit RateLimiter(RateLimits limits, Timer& timer = process_timer());

  /// `bytes` is what the call is expected to move.
  void pass(uint64_t bytes, const CallContext& context, Go go);
  /// Corrects what pass() was told by what was moved.
  void correct(uint64_t expected_bytes, uint64_t moved_bytes);

 private:
  class Gate;

  ForkLocal<Gate> gate_;
};

/// The buckets of one process, and what waits for them. Owned by a shared_ptr.
class RateLimiter::Gate : public std::enable_shared_from_this<Gate> {
 public:
  Gate(RateLimits limits, Timer& timer);

  void pass(uint64_t bytes, const CallContext& context, Go go);
  void correct(uint64_t expected_bytes, uint64_t moved_bytes);

 private:
  struct Look {
    std::weak_ptr<Gate> gate;
    void operator()() const;
  };
  struct Waiting {
    uint64_t bytes;
    CallContext context;
    Go go;
    std::unique_ptr<std::stop_callback<Look>> on_stop;
  };
  using Queue = std::deque<std::shared_ptr<Waiting>>;

  /// Lets go what may go and what is no longer wanted, and sets the timer for the rest.
  void serve();
  bool is_open(int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void charge(uint64_t bytes, int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void take_unwanted(Queue* queue, Queue* taken, int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void take_ready(Queue* taken, int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  int64_t next_look_ns(int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void set_timer(int64_t now_ns) FOREBAY_REQUIRES(mutex_);

  Timer& timer_;
  Mutex mutex_;
  TokenBucket requests_ FOREBAY_GUARDED_BY(mutex_);
  TokenBucket bytes_ FOREBAY_GUARDED_BY(mutex_);
  Queue demand_ FOREBAY_GUARDED_BY(mutex_);
  Queue prefetch_ FOREBAY_GUARDED_BY(mutex_);
  int64_t look_ns_ FOREBAY_GUARDED_BY(mutex_) = kNoDeadline;  // the soonest the timer is set for
};

}  // namespace forebay::storage
