#include "forebay/dataset/index/growing_source.h"

#include <algorithm>
#include <future>
#include <stop_token>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/log/log.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/interruptible_waits.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

/// Whether another scan may get further.
bool may_pass_later(const Status& status) {
  return storage::is_unanswered(status) || status.code() == StatusCode::kPermissionDenied;
}

bool are_far(const ShardParts& parts) {
  const storage::StoreRegistry& registry =
      parts.registry == nullptr ? storage::default_registry() : *parts.registry;
  return std::ranges::any_of(parts.paths, [&](const std::string& path) {
    const Result<storage::ObjectAddress> address = registry.resolve(path);
    return address.ok() && !address->store->local_file(address->key).has_value();
  });
}

}  // namespace

/// What the source and the thread of its scan share.
struct GrowingSource::Scan {
  Scan(ShardParts given, ReadingOrder order)
      : parts(std::move(given)),
        growing(std::make_shared<GrowingIndex>(parts.paths, parts.rows_each, std::move(order))),
        early(parts.source_of(growing)) {}

  void run();
  Status once();
  void end();
  /// Where a sample of this number is to be found.
  const Source& source_with(int64_t sample);
  void say_what_is_awaited() const;

  const ShardParts parts;
  const std::shared_ptr<GrowingIndex> growing;
  const std::shared_ptr<Source> early;
  std::stop_source stop;
  Mutex mutex;
  std::shared_ptr<Source> whole FOREBAY_GUARDED_BY(mutex);
  int readers FOREBAY_GUARDED_BY(mutex) = 0;
  bool has_ended FOREBAY_GUARDED_BY(mutex) = false;  // before all samples were found
};

void GrowingSource::Scan::run() {
  const storage::InterruptibleWaits waits([this] { return stop.stop_requested(); });
  Status status = once();
  while (may_pass_later(status) && growing->fail_until_awaited(status)) {
    status = once();
  }
  if (!status.ok()) {
    const MutexLock lock(mutex);
    has_ended = true;
  }
  growing->finish(status);
}

Status GrowingSource::Scan::once() {
  return caught([this]() -> Status {
    FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index, parts.scan(growing.get()));
    std::shared_ptr<Source> found = parts.source_of(std::move(index));
    const MutexLock lock(mutex);
    whole = std::move(found);
    return ok_status();
  });
}

void GrowingSource::Scan::end() {
  stop.request_stop();
  growing->close();
}

const Source& GrowingSource::Scan::source_with(int64_t sample) {
  const MutexLock lock(mutex);
  return whole == nullptr || sample >= kUncountedSample ? *early : *whole;
}

void GrowingSource::Scan::say_what_is_awaited() const {
  log_warning(
      "{}: waiting until the samples of all {} shards are found, {} so far; the length of an epoch, going on "
      "from a saved state, and an order that is not shard by shard need them all. `forebay index` finds them "
      "once for all jobs{}",
      storage::uri_for_message(parts.paths.front()), parts.paths.size(), growing->size(),
      growing->reading_order().is_by_shard ? "" : "; a shuffle shard by shard (`shuffle`) waits for less");
}

GrowingSource::GrowingSource(ShardParts parts, ReadingOrder order)
    : scan_(std::make_shared<Scan>(std::move(parts), std::move(order))),
      thread_([scan = scan_] { scan->run(); }) {
}

// The last to let go of it may be a thread that the scan waits for, as one of a store.
GrowingSource::~GrowingSource() {
  scan_->end();
  if (scan_->parts.registry == nullptr) {
    thread_.detach();
  }
}

int64_t GrowingSource::size() const {
  return scan_->source_with(0).size();
}

int GrowingSource::num_fields() const {
  return scan_->early->num_fields();
}

Result<SampleLocation> GrowingSource::locate(int64_t index) const {
  return scan_->source_with(index).locate(index);
}

void GrowingSource::read(int64_t index, const ReadFlags& flags, RecordCallback done) const {
  scan_->source_with(index).read(index, flags, std::move(done));
}

void GrowingSource::plan(int64_t index, std::vector<PlannedRead>* reads) const {
  scan_->source_with(index).plan(index, reads);
}

std::vector<std::shared_ptr<storage::ObjectStore>> GrowingSource::stores() const {
  return scan_->early->stores();
}

const ReadingOrder& GrowingSource::reading_order() const {
  return scan_->growing->reading_order();
}

PlaceInShard GrowingSource::place_of(uint64_t k) const {
  return scan_->growing->place_of(k);
}

void GrowingSource::when_known(int64_t samples, GrowingIndex::Waiter waiter) const {
  scan_->growing->when_known(samples, std::move(waiter));
}

bool GrowingSource::enter() const {
  const MutexLock lock(scan_->mutex);
  scan_->readers += scan_->has_ended ? 0 : 1;
  return !scan_->has_ended;
}

bool GrowingSource::leave() const {
  {
    const MutexLock lock(scan_->mutex);
    if (--scan_->readers > 0 || scan_->whole != nullptr) {
      return false;
    }
    scan_->has_ended = true;
  }
  scan_->end();
  return true;
}

std::shared_ptr<Source> GrowingSource::whole() const {
  const MutexLock lock(scan_->mutex);
  return scan_->whole;
}

Status GrowingSource::await_known(int64_t samples) const {
  const auto ended = std::make_shared<std::promise<Status>>();
  std::future<Status> status = ended->get_future();
  when_known(samples, [ended](const Status& result) { ended->set_value(result); });
  const std::chrono::milliseconds said_after = scan_->parts.said_after;
  storage::WaitedCall call({});
  const auto between_looks =
      call.time_between_looks().value_or(std::max(said_after, std::chrono::milliseconds(1)));
  const auto said_at = std::chrono::steady_clock::now() + said_after;
  bool is_said = samples < GrowingIndex::kAll;
  while (status.wait_for(between_looks) != std::future_status::ready) {
    call.look();
    if (call.context().cancellation.stop_requested()) {
      return cancelled("interrupted while the samples of {} shards were being found",
                       scan_->parts.paths.size());
    }
    if (!is_said && std::chrono::steady_clock::now() >= said_at) {
      scan_->say_what_is_awaited();
      is_said = true;
    }
  }
  return status.get();
}

Result<std::shared_ptr<Source>> open_shards(ShardParts parts, const OrderOptions& order) {
  if (are_far(parts)) {
    ReadingOrder reading = ReadingOrder::of(order, parts.paths.size());
    return std::make_shared<GrowingSource>(std::move(parts), std::move(reading));
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index, parts.scan(nullptr));
  return parts.source_of(std::move(index));
}

}  // namespace forebay::dataset
