// Reads what plans name before their readers ask for it.
//
// The most urgent read of all plans is next: the one that its reader reaches first at its present speed.
// While the cache has free space, everything that is still missing is fetched, up to an epoch ahead. Where
// something else would have to go, only a bounded number of bytes is fetched before its time, since these
// take the place of what MIN would keep; and nothing is fetched that is read later than all that is held.
//
// The rules are those of Cao, Felten, Karlin and Li, "A study of integrated prefetching and caching
// strategies", SIGMETRICS 1995: fetch what is missing next, replace what is read last, do no harm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_set>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/ahead/link_window.h"
#include "forebay/cache/options/fetch_ahead_options.h"
#include "forebay/cache/policy/future.h"
#include "forebay/cache/policy/plan_follower.h"
#include "forebay/cache/policy/planned.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr. Has no thread: fetch() is called when something has changed.
class AheadFetches : public std::enable_shared_from_this<AheadFetches> {
 public:
  /// `room` is null if the cache's policy does not know the future. `on_change` is called, on any thread,
  /// when another fetch() is worth while.
  AheadFetches(std::shared_ptr<Future> future, std::shared_ptr<const PlannedRoom> room,
               const FetchAheadOptions& options, std::function<void()> on_change);

  void follow(std::weak_ptr<storage::ObjectStore> store, std::shared_ptr<storage::ReadPlan> plan);

  /// Starts the reads that may start now. Returns the nanoseconds after which it is worth while again even if
  /// nothing changes; nothing if it is not.
  std::optional<int64_t> fetch();

  /// Cancels what is under way and starts nothing more.
  void stop();

  uint64_t in_flight_bytes() const;
  PlanCounts counts() const;

 private:
  struct Job {
    std::weak_ptr<storage::ObjectStore> store;
    std::shared_ptr<storage::ReadPlan> plan;
    std::shared_ptr<LinkWindow> link;  // shared by the plans of a store; the lock guards it
    std::stop_source cancellation;
    uint64_t next = 0;                                  // positions before it were looked at
    uint64_t cursor = 0;                                // the reader's, when it was last caught up with
    std::optional<uint64_t> waits_at;                   // nothing to do until the cursor is another
    int64_t busy_until_ns = 0;                          // its link, if nothing lands before
    std::deque<std::pair<uint64_t, uint64_t>> fetched;  // {position, bytes} that the reader did not reach
    uint64_t fetched_bytes = 0;
    uint64_t in_flight_bytes = 0;
    uint64_t landed_bytes = 0;
    int64_t rest_ns = 0;  // the last rest, while nothing has been kept since
    int64_t rests_until_ns = 0;

    int64_t idle_until_ns() const { return std::max(busy_until_ns, rests_until_ns); }
  };
  struct Link {
    std::weak_ptr<storage::ObjectStore> store;
    std::shared_ptr<LinkWindow> window;
  };
  enum class Verdict { kFetch, kSkip, kWait, kBeginning, kBusy, kLimit };
  /// Whether what was read is at hand when its reader comes.
  enum class Kept { kYes, kNotNow, kNever };
  /// What has to be known of a read when it is done.
  struct Landing {
    storage::PlannedRange range;
    uint64_t hash;
    uint64_t bytes;
    std::shared_ptr<LinkWindow> link;
    LinkWindow::Departed departed;
    uint64_t plan_id;
    uint64_t cursor;  // when it departed
  };
  struct Departure {
    std::shared_ptr<storage::ObjectStore> store;
    storage::ReadRequest request;
    storage::CallContext context;
    Landing landing;
  };

  std::shared_ptr<LinkWindow> link_to(const std::weak_ptr<storage::ObjectStore>& store)
      FOREBAY_REQUIRES(mutex_);
  void catch_up(Job* job) FOREBAY_REQUIRES(mutex_);
  double time_of_next(const Job& job) const FOREBAY_REQUIRES(mutex_);
  Job* most_urgent() FOREBAY_REQUIRES(mutex_);
  bool is_missing(storage::ObjectStore& store, const storage::PlannedRange& range) const
      FOREBAY_REQUIRES(mutex_);
  bool look_at_next(Job* job, std::vector<Departure>* departures) FOREBAY_REQUIRES(mutex_);
  /// Whether it has as much under way as it may, as long as little has landed.
  bool is_beginning(const Job& job, uint64_t bytes) const FOREBAY_REQUIRES(mutex_);
  Verdict judge(const Job& job, storage::ObjectStore& store,
                const std::vector<storage::PlannedRange>& missing) const FOREBAY_REQUIRES(mutex_);
  /// Nothing departs over the link before something has landed, so that nobody overtakes the most urgent.
  void wait_for(const LinkWindow& link) FOREBAY_REQUIRES(mutex_);
  /// Whether so many bytes fit in, or what they would drive out is read later. `room` is null if it is not
  /// known what is read when.
  bool has_room(const Job& job, uint64_t bytes, const PlannedRoom* room) const FOREBAY_REQUIRES(mutex_);
  void depart(Job* job, const std::shared_ptr<storage::ObjectStore>& store,
              std::vector<storage::PlannedRange> ranges, std::vector<Departure>* departures)
      FOREBAY_REQUIRES(mutex_);
  int64_t wait_ns() const FOREBAY_REQUIRES(mutex_);
  void launch(Departure departure);
  void take_landing(Job* job, const Landing& landing, const Status& status, Kept kept)
      FOREBAY_REQUIRES(mutex_);
  /// Nothing of it departs for a while, each time for longer.
  void rest(Job* job) FOREBAY_REQUIRES(mutex_);
  /// The time until the first job that waits for a time goes on.
  std::optional<int64_t> idle_ns() const FOREBAY_REQUIRES(mutex_);
  void landed(const Landing& landing, const Status& status, Kept kept, const Demand& demand);

  const std::shared_ptr<Future> future_;
  const std::shared_ptr<const PlannedRoom> room_;
  const FetchAheadOptions options_;
  const Clock& clock_;
  const std::function<void()> on_change_;
  const std::shared_ptr<const storage::Caller> who_;
  mutable Mutex mutex_;
  std::list<Job> jobs_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Link> links_ FOREBAY_GUARDED_BY(mutex_);                 // of the stores that are there
  std::unordered_set<uint64_t> in_flight_ FOREBAY_GUARDED_BY(mutex_);  // hashes of store, key and offset
  uint64_t bytes_in_flight_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int64_t rate_allows_ns_ FOREBAY_GUARDED_BY(mutex_) = 0;  // when the next read may start
  PlanCounts counts_ FOREBAY_GUARDED_BY(mutex_);
  bool is_stopped_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::cache
