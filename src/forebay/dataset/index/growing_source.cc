#include "forebay/dataset/index/growing_source.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/log.h"
#include "forebay/storage/interruptible_waits.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {

GrowingSource::GrowingSource(GrowingParts parts)
    : parts_(std::move(parts)),
      growing_(std::make_shared<GrowingIndex>(parts_.paths, parts_.rows_each)),
      early_(parts_.source_of(growing_)),
      scan_([this] { scan(); }) {
}

GrowingSource::~GrowingSource() {
  end_scan();
}

void GrowingSource::end_scan() const {
  stop_.request_stop();
  growing_->close();
}

bool GrowingSource::enter() const {
  const MutexLock lock(mutex_);
  readers_ += has_ended_ ? 0 : 1;
  return !has_ended_;
}

bool GrowingSource::leave() const {
  {
    const MutexLock lock(mutex_);
    if (--readers_ > 0 || whole_ != nullptr) {
      return false;
    }
    has_ended_ = true;
  }
  end_scan();
  return true;
}

void GrowingSource::scan() {
  const storage::InterruptibleWaits waits([this] { return stop_.stop_requested(); });
  const Status status = caught([&]() -> Status {
    FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index, parts_.scan(*growing_));
    std::shared_ptr<Source> whole = parts_.source_of(std::move(index));
    const MutexLock lock(mutex_);
    whole_ = std::move(whole);
    return ok_status();
  });
  if (!status.ok()) {
    const MutexLock lock(mutex_);
    has_ended_ = true;
  }
  growing_->finish(status);
}

std::shared_ptr<Source> GrowingSource::whole() const {
  const MutexLock lock(mutex_);
  return whole_;
}

const Source& GrowingSource::now() const {
  const MutexLock lock(mutex_);
  return whole_ == nullptr ? *early_ : *whole_;
}

Status GrowingSource::await_known(int64_t samples) const {
  const auto ended = std::make_shared<std::promise<Status>>();
  std::future<Status> status = ended->get_future();
  when_known(samples, [ended](const Status& result) { ended->set_value(result); });
  storage::WaitedCall call({});
  const auto between_looks =
      call.time_between_looks().value_or(std::max(parts_.said_after, std::chrono::milliseconds(1)));
  const auto said_at = std::chrono::steady_clock::now() + parts_.said_after;
  bool is_said = samples < GrowingIndex::kAll;
  while (status.wait_for(between_looks) != std::future_status::ready) {
    if (call.time_between_looks()) {
      call.look();
    }
    if (call.context().cancellation.stop_requested()) {
      return cancelled("interrupted while the samples of {} shards were being found", parts_.paths.size());
    }
    if (!is_said && std::chrono::steady_clock::now() >= said_at) {
      say_what_is_awaited();
      is_said = true;
    }
  }
  return status.get();
}

void GrowingSource::say_what_is_awaited() const {
  log_warning(
      "{}: waiting until the samples of all {} shards are found, {} so far; a random order, several ranks, "
      "the "
      "length of an epoch and a saved state need them all. `forebay index` finds them once for all jobs",
      storage::uri_for_message(parts_.paths.front()), parts_.paths.size(), growing_->size());
}

Result<std::shared_ptr<Source>> GrowingSource::await_whole() const {
  FOREBAY_RETURN_IF_ERROR(await_known(GrowingIndex::kAll));
  return whole();
}

bool are_far(const storage::StoreRegistry& registry, const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths, [&](const std::string& path) {
    const Result<storage::ObjectAddress> address = registry.resolve(path);
    return address.ok() && !address->store->local_file(address->key).has_value();
  });
}

}  // namespace forebay::dataset
