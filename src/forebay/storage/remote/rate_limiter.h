// Lets calls through at a limited rate of requests and of bytes: the most urgent first, each kind in order.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/storage/context.h"
#include "forebay/storage/remote/fork_local.h"
#include "forebay/storage/remote/shared_places.h"
#include "forebay/storage/remote/token_bucket.h"

namespace forebay::storage {

/// 0: no limit. What gathers while nobody asks lasts for a second.
struct RateLimits {
  double requests_per_second = 0;
  double bytes_per_second = 0;
  std::string shared_as = {};  // processes of the host that give the same share the limit; empty: none does

  bool any() const { return requests_per_second > 0 || bytes_per_second > 0; }
};

/// Thread safe. Shared by all stores that one limit is for, and, where it has places, by all processes that
/// have the same: then each goes first as it comes, whatever is more urgent in another. Without places a
/// forked child begins with full buckets. What waited in the parent does not wait in the child.
///
/// What is only expected to be moved keeps other processes waiting for kMaxExpectedNs at most, so that one
/// that is killed leaves no debt of hours; the rest is owed once it has been moved.
class RateLimiter {
 public:
  static constexpr int64_t kMaxExpectedNs = 5'000'000'000;

  /// Called without a lock: inline if the call may go at once, else on the timer's thread. Not wanted any
  /// more: the error.
  using Go = absl::AnyInvocable<void(Status)>;

  explicit RateLimiter(RateLimits limits, Timer& timer = process_timer(), LimitPlaces places = {});

  /// `bytes` is what the call is expected to move.
  void pass(uint64_t bytes, const CallContext& context, Go go);
  /// What was moved, where pass() was told how much to expect: called once for each call that went and moves
  /// bytes, however it ended.
  void correct(uint64_t expected_bytes, uint64_t moved_bytes);

 private:
  class Gate;

  ForkLocal<Gate> gate_;
};

/// The buckets of one process, and what waits for them. Owned by a shared_ptr.
class RateLimiter::Gate : public std::enable_shared_from_this<Gate> {
 public:
  Gate(RateLimits limits, Timer& timer, LimitPlaces places);

  void pass(uint64_t bytes, const CallContext& context, Go go);
  void correct(uint64_t expected_bytes, uint64_t moved_bytes);

 private:
  struct Waiting;
  using WaitingRef = std::shared_ptr<Waiting>;
  using Queue = std::list<WaitingRef>;
  using Deadlines = std::multimap<int64_t, WaitingRef>;
  struct Stop {
    std::weak_ptr<Gate> gate;
    std::weak_ptr<Waiting> waiting;
    void operator()() const;
  };
  struct Waiting {
    uint64_t bytes;
    CallContext context;
    Go go;
    std::unique_ptr<std::stop_callback<Stop>> on_stop = {};
    bool is_in_queue = false;  // and so are its places
    Queue::iterator place = {};
    std::optional<Deadlines::iterator> deadline = {};
  };

  /// Lets go what may go and what is no longer wanted, and sets the timer for the rest.
  void serve();
  bool is_open(int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  Queue* first_waiting() FOREBAY_REQUIRES(mutex_);
  void charge(uint64_t bytes, int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void put(const WaitingRef& waiting) FOREBAY_REQUIRES(mutex_);
  void take(const WaitingRef& waiting, std::vector<WaitingRef>* taken) FOREBAY_REQUIRES(mutex_);
  void take_unwanted(std::vector<WaitingRef>* taken, int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void take_ready(std::vector<WaitingRef>* taken, int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  int64_t next_look_ns(int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void set_timer(int64_t now_ns) FOREBAY_REQUIRES(mutex_);

  Timer& timer_;
  const pid_t process_;  // whose it is: in a child, what waits belongs to the parent
  const bool is_shared_;
  Mutex mutex_;
  TokenBucket requests_ FOREBAY_GUARDED_BY(mutex_);
  TokenBucket bytes_ FOREBAY_GUARDED_BY(mutex_);
  double unpaid_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;  // of those expected, what was not taken yet
  std::array<Queue, kPriorities> queues_ FOREBAY_GUARDED_BY(mutex_);  // by priority
  Deadlines deadlines_ FOREBAY_GUARDED_BY(mutex_);                    // of those that have one
  std::vector<WaitingRef> stopped_ FOREBAY_GUARDED_BY(mutex_);        // to be looked at; they may have gone
  int64_t look_ns_ FOREBAY_GUARDED_BY(mutex_) = kNoDeadline;          // the soonest the timer is set for
};

}  // namespace forebay::storage
