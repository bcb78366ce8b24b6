#include "forebay/cache/ahead/ahead_fetches.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/base/units.h"
#include "forebay/cache/ahead/range_cache.h"
#include "forebay/cache/options/cache_options.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kMaxPositionsAhead = 65'536;  // of plans without items; others look an epoch ahead
constexpr uint64_t kAheadParts = 16;             // each reader may fill one of so many parts of the cache
constexpr uint64_t kAheadPartsInAll = 4;         // and all together
constexpr int kPositionsEachTime = 256;          // while what has landed waits for the lock
constexpr int64_t kBurstNs = 50'000'000;         // what a rate limit may give at once
constexpr int64_t kLeastRestNs = kSecond;        // where what was fetched is not kept
constexpr int64_t kMaxRestNs = 60 * kSecond;
constexpr int64_t kLongestWaitNs = kSecond;  // for something to land, which may stand still

uint64_t total_bytes_of(const std::vector<storage::PlannedRange>& ranges) {
  uint64_t bytes = 0;
  for (const storage::PlannedRange& range : ranges) {
    bytes += range.length_bytes;
  }
  return bytes;
}

/// Null: the store keeps nothing.
RangeCache* cache_of(storage::ObjectStore& store) {
  return dynamic_cast<RangeCache*>(&store);
}

/// Also where nobody can tell.
bool is_kept_by(storage::ObjectStore& store, const storage::PlannedRange& range) {
  RangeCache* const cache = cache_of(store);
  return cache == nullptr || range.version.empty() || cache->holds(range);
}

Demand demand_of(storage::ObjectStore& store) {
  RangeCache* const cache = cache_of(store);
  return cache == nullptr ? Demand{} : cache->demand();
}

std::shared_ptr<const PlannedRoom> room_under_quota(storage::ObjectStore& store,
                                                    const storage::PlannedRange& range) {
  RangeCache* const cache = cache_of(store);
  return cache == nullptr ? nullptr : cache->room_of(range);
}

uint64_t hash_of(const storage::ObjectStore& store, const storage::PlannedRange& range) {
  return mix64(hash64(range.key), mix64(reinterpret_cast<uintptr_t>(&store), range.offset_bytes));
}

}  // namespace

AheadFetches::AheadFetches(std::shared_ptr<Future> future, std::shared_ptr<const PlannedRoom> room,
                           const FetchAheadOptions& options, std::function<void()> on_change)
    : future_(std::move(future)),
      room_(std::move(room)),
      options_(options),
      clock_(options.clock == nullptr ? steady_clock() : *options.clock),
      on_change_(std::move(on_change)),
      who_(std::make_shared<const storage::Caller>(storage::Caller{"fetch ahead"})) {
}

void AheadFetches::follow(std::weak_ptr<storage::ObjectStore> store,
                          std::shared_ptr<storage::ReadPlan> plan) {
  const MutexLock lock(mutex_);
  if (!is_stopped_) {
    std::shared_ptr<LinkWindow> link = link_to(store);
    jobs_.push_back({.store = std::move(store), .plan = std::move(plan), .link = std::move(link)});
  }
}

std::shared_ptr<LinkWindow> AheadFetches::link_to(const std::weak_ptr<storage::ObjectStore>& store) {
  std::erase_if(links_, [](const Link& link) { return link.store.expired(); });
  const auto known = std::ranges::find_if(links_, [&store](const Link& link) {
    return !link.store.owner_before(store) && !store.owner_before(link.store);
  });
  if (known != links_.end()) {
    return known->window;
  }
  links_.push_back({.store = store, .window = std::make_shared<LinkWindow>(options_.little_reads)});
  return links_.back().window;
}

void AheadFetches::stop() {
  std::list<Job> jobs;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    jobs.swap(jobs_);
  }
  for (Job& job : jobs) {
    job.cancellation.request_stop();
  }
}

uint64_t AheadFetches::in_flight_bytes() const {
  const MutexLock lock(mutex_);
  return bytes_in_flight_;
}

PlanCounts AheadFetches::counts() const {
  const MutexLock lock(mutex_);
  PlanCounts counts = counts_;
  counts.plans = jobs_.size();
  return counts;
}

/// What the reader has reached is its own business. It goes on meanwhile: where it is counts as of now, for a
/// job that would wait at a later place had not looked from there.
void AheadFetches::catch_up(Job* job) {
  job->cursor = job->plan->cursor();
  const uint64_t reached = job->cursor + job->plan->reader_window();
  job->next = std::max(job->next, reached);
  while (!job->fetched.empty() && job->fetched.front().first < reached) {
    job->fetched_bytes -= job->fetched.front().second;
    job->fetched.pop_front();
  }
  if (job->waits_at && *job->waits_at != job->cursor) {
    job->waits_at.reset();
  }
}

double AheadFetches::time_of_next(const Job& job) const {
  const double time = future_->time_of(job.plan->id(), job.next);
  return time != kNoRead ? time : future_->now() + static_cast<double>(job.next - job.cursor);
}

AheadFetches::Job* AheadFetches::most_urgent() {
  Job* best = nullptr;
  double best_time = 0;
  for (Job& job : jobs_) {
    if (job.waits_at || job.idle_until_ns() > clock_.now_ns()) {
      continue;
    }
    const double time = time_of_next(job);
    if (best == nullptr || time < best_time) {
      best = &job;
      best_time = time;
    }
  }
  return best;
}

// What is fetched ahead shares the wire with what the reader waits for already, and its first batch most of
// all. So a plan begins with little, and what has landed lets twice as much go.
bool AheadFetches::is_beginning(const Job& job, uint64_t bytes) const {
  return job.in_flight_bytes > 0 && job.in_flight_bytes + bytes > options_.first_bytes + job.landed_bytes;
}

AheadFetches::Verdict AheadFetches::judge(const Job& job, storage::ObjectStore& store,
                                          const std::vector<storage::PlannedRange>& missing) const {
  const uint64_t bytes = total_bytes_of(missing);
  const bool is_alone = bytes_in_flight_ == 0;  // what is larger than a limit goes by itself
  if ((bytes_in_flight_ + bytes > options_.in_flight_bytes && !is_alone) ||
      in_flight_.size() >= options_.in_flight_reads || wait_ns() > 0) {
    return Verdict::kLimit;
  }
  if (is_beginning(job, bytes)) {
    return Verdict::kBeginning;
  }
  if (!job.link->has_room(bytes, demand_of(store), clock_.now_ns())) {
    return Verdict::kBusy;
  }
  const bool has_room_everywhere =
      has_room(job, bytes, room_.get()) &&
      std::ranges::all_of(missing, [&](const storage::PlannedRange& range) FOREBAY_REQUIRES(mutex_) {
        const std::shared_ptr<const PlannedRoom> quota = room_under_quota(store, range);
        return quota == nullptr || has_room(job, bytes, quota.get());
      });
  return has_room_everywhere ? Verdict::kFetch : Verdict::kWait;
}

bool AheadFetches::has_room(const Job& job, uint64_t bytes, const PlannedRoom* room) const {
  if (room != nullptr && room->free_bytes.load() >= bytes_in_flight_ + bytes) {
    return true;
  }
  const uint64_t parts = std::max(kAheadParts, kAheadPartsInAll * jobs_.size());
  const uint64_t part_bytes = room == nullptr ? options_.ahead_bytes : room->capacity_bytes / parts;
  const uint64_t ahead_bytes = std::min(options_.ahead_bytes, part_bytes);
  const bool is_near = job.fetched_bytes == 0 || job.fetched_bytes + bytes <= ahead_bytes;
  const bool does_no_harm = room == nullptr || time_of_next(job) < room->last_read.load();
  return is_near && does_no_harm;
}

int64_t AheadFetches::wait_ns() const {
  return options_.bytes_per_second == 0 ? 0 : rate_allows_ns_ - clock_.now_ns();
}

bool AheadFetches::is_missing(storage::ObjectStore& store, const storage::PlannedRange& range) const {
  if (range.length_bytes == 0 || in_flight_.contains(hash_of(store, range))) {
    return false;
  }
  RangeCache* const cache = cache_of(store);
  return cache == nullptr || !cache->holds(range);
}

/// False if a limit of all jobs was met.
bool AheadFetches::look_at_next(Job* job, std::vector<Departure>* departures) {
  const std::shared_ptr<storage::ObjectStore> store = job->store.lock();
  const std::shared_ptr<const storage::PlannedItems> items = job->plan->items();
  const uint64_t farthest =
      job->cursor + job->plan->reader_window() + (items ? items->num_items() : kMaxPositionsAhead);
  if (!store || job->next >= std::min(farthest, job->plan->end())) {
    job->waits_at = job->cursor;
    return true;
  }
  std::vector<storage::PlannedRange> missing = job->plan->ranges(job->next, 1);
  std::erase_if(missing, [&](const storage::PlannedRange& range)
                             FOREBAY_REQUIRES(mutex_) { return !is_missing(*store, range); });
  const Verdict verdict = missing.empty() ? Verdict::kSkip : judge(*job, *store, missing);
  switch (verdict) {
    case Verdict::kFetch:
      depart(job, store, std::move(missing), departures);
      [[fallthrough]];
    case Verdict::kSkip:
      ++job->next;
      return true;
    case Verdict::kWait:
      job->waits_at = job->cursor;
      return true;
    case Verdict::kBeginning:
      job->busy_until_ns = clock_.now_ns() + kLongestWaitNs;
      return true;
    case Verdict::kBusy:
      wait_for(*job->link);
      return true;
    case Verdict::kLimit:
      return false;
  }
  return false;
}

void AheadFetches::wait_for(const LinkWindow& link) {
  for (Job& job : jobs_) {
    if (job.link.get() == &link) {
      job.busy_until_ns = clock_.now_ns() + kLongestWaitNs;
    }
  }
}

void AheadFetches::depart(Job* job, const std::shared_ptr<storage::ObjectStore>& store,
                          std::vector<storage::PlannedRange> ranges, std::vector<Departure>* departures) {
  const uint64_t bytes = total_bytes_of(ranges);
  const Demand demand = demand_of(*store);
  job->fetched.emplace_back(job->next, bytes);
  job->fetched_bytes += bytes;
  job->in_flight_bytes += bytes;
  bytes_in_flight_ += bytes;
  counts_.ahead_reads += ranges.size();
  counts_.ahead_bytes += bytes;
  if (options_.bytes_per_second > 0) {
    const double cost = static_cast<double>(bytes) / static_cast<double>(options_.bytes_per_second);
    rate_allows_ns_ = std::max(rate_allows_ns_, clock_.now_ns() - kBurstNs) +
                      static_cast<int64_t>(cost * static_cast<double>(kSecond));
  }
  for (storage::PlannedRange& range : ranges) {
    const Landing landing = {
        .range = range,
        .hash = hash_of(*store, range),
        .bytes = range.length_bytes,
        .link = job->link,
        .departed = job->link->depart(range.length_bytes, bytes, demand, clock_.now_ns()),
        .plan_id = job->plan->id(),
        .cursor = job->cursor};
    const uint64_t length_bytes = range.is_to_end ? storage::kToEnd : range.length_bytes;
    in_flight_.insert(landing.hash);
    departures->push_back({.store = store,
                           .request = {.key = std::move(range.key),
                                       .offset_bytes = range.offset_bytes,
                                       .length_bytes = length_bytes,
                                       .if_version = std::move(range.version)},
                           .context = {.cancellation = job->cancellation.get_token(),
                                       .priority = storage::Priority::kPrefetch,
                                       .who = who_},
                           .landing = landing});
  }
}

std::optional<int64_t> AheadFetches::fetch() {
  std::list<Job> gone;
  std::vector<Departure> departures;
  std::optional<int64_t> again_ns;
  {
    const MutexLock lock(mutex_);
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      const auto here = job++;
      if (here->plan->is_retracted()) {
        gone.splice(gone.end(), jobs_, here);
      } else {
        catch_up(&*here);
      }
    }
    int looked_at = 0;
    Job* job = most_urgent();
    while (job != nullptr && look_at_next(job, &departures) && ++looked_at < kPositionsEachTime) {
      job = most_urgent();
    }
    if (job != nullptr && looked_at == kPositionsEachTime) {
      again_ns = 0;
    } else if (job != nullptr && wait_ns() > 0) {
      again_ns = wait_ns();
    } else {
      again_ns = idle_ns();
    }
  }
  for (Job& job : gone) {
    job.cancellation.request_stop();
  }
  for (Departure& departure : departures) {
    launch(std::move(departure));
  }
  return again_ns;
}

void AheadFetches::launch(Departure departure) {
  const std::shared_ptr<storage::ObjectStore> store = departure.store;
  store->read(std::move(departure.request), departure.context,
              [self = shared_from_this(), weak = std::weak_ptr<storage::ObjectStore>(store),
               landing = std::move(departure.landing)](const Result<storage::ReadBytes>& read) {
                const std::shared_ptr<storage::ObjectStore> store = weak.lock();
                const bool is_kept = !read.ok() || store == nullptr || is_kept_by(*store, landing.range);
                const bool is_never_kept = read.ok() && read->has_weak_version;
                const Demand demand = store == nullptr ? Demand{} : demand_of(*store);
                self->landed(landing, read.status(),
                             is_never_kept ? Kept::kNever
                             : is_kept     ? Kept::kYes
                                           : Kept::kNotNow,
                             demand);
              });
}

void AheadFetches::rest(Job* job) {
  if (clock_.now_ns() >= job->rests_until_ns) {  // else what departed with others
    job->rest_ns = std::clamp(2 * job->rest_ns, kLeastRestNs, kMaxRestNs);
    job->rests_until_ns = clock_.now_ns() + job->rest_ns;
  }
}

std::optional<int64_t> AheadFetches::idle_ns() const {
  std::optional<int64_t> least_ns;
  for (const Job& job : jobs_) {
    const int64_t left_ns = job.idle_until_ns() - clock_.now_ns();
    if (left_ns > 0) {
      least_ns = std::min(least_ns.value_or(left_ns), left_ns);
    }
  }
  return least_ns;
}

/// After an error the plan rests until its reader has gone on; the reader meets the error by itself. What is
/// not kept would only be fetched twice: nothing more is fetched of what never is, and after a while one more
/// is tried where it may be kept then, as once a full disk has room again.
void AheadFetches::take_landing(Job* job, const Landing& landing, const Status& status, Kept kept) {
  job->in_flight_bytes -= landing.bytes;
  if (kept == Kept::kNever) {
    job->next = std::numeric_limits<uint64_t>::max();
  }
  if (!status.ok()) {
    job->waits_at = landing.cursor;
    return;
  }
  if (kept == Kept::kNotNow) {
    rest(job);
    return;
  }
  job->rest_ns = 0;
  job->landed_bytes += landing.bytes;
}

void AheadFetches::landed(const Landing& landing, const Status& status, Kept kept, const Demand& demand) {
  {
    const MutexLock lock(mutex_);
    in_flight_.erase(landing.hash);
    bytes_in_flight_ -= landing.bytes;
    if (status.ok()) {
      landing.link->land(landing.departed, landing.bytes, demand, clock_.now_ns());
    } else {
      landing.link->lose(landing.departed);
    }
    for (Job& job : jobs_) {
      if (job.link == landing.link) {
        job.busy_until_ns = 0;
      }
      if (job.plan->id() == landing.plan_id) {
        take_landing(&job, landing, status, kept);
      }
    }
  }
  on_change_();
}

}  // namespace forebay::cache
