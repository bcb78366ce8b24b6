#include "forebay/dataset/index/growing_index.h"

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/check.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

// Of shorter reads the time is that of asking, not of the wire.
constexpr uint64_t kLeastMeasuredBytes = 1 << 20;
constexpr double kFastestWire = 2;  // bytes a nanosecond; what comes faster was at hand
constexpr size_t kMostReading = 16;
// A read beside others that is nearly as fast as the fastest says that the wire takes one more; one that is
// much slower, that it has too many.
constexpr double kAsFast = 0.75;
constexpr double kMuchSlower = 0.45;

}  // namespace

GrowingIndex::GrowingIndex(std::vector<std::string> paths, int num_fields)
    : paths_(std::move(paths)), num_fields_(num_fields), shards_(paths_.size()), firsts_(1) {
}

int64_t GrowingIndex::size() const {
  const MutexLock lock(mutex_);
  return known();
}

SampleRow GrowingIndex::row(int64_t sample, int field) const {
  const MutexLock lock(mutex_);
  FOREBAY_CHECK(sample >= 0 && sample < in_order_ && field >= 0 && field < num_fields_);
  const auto shard = std::ranges::upper_bound(firsts_, sample) - 1;
  return shards_[shard - firsts_.begin()].rows[(sample - *shard) * num_fields_ + field];
}

IndexedObject GrowingIndex::object(uint32_t id) const {
  const MutexLock lock(mutex_);
  const storage::ObjectStat& stat = shards_[id].stat;
  return {paths_[id], stat.size_bytes, stat.modified_ns, stat.version};
}

void GrowingIndex::when_known(int64_t samples, Waiter waiter) {
  Status status;
  {
    const MutexLock lock(mutex_);
    if (samples > known() && !has_finished_) {
      waiters_.emplace(samples, std::move(waiter));
      changed_.notify_all();
      return;
    }
    status = samples > known() ? status_ : ok_status();
  }
  waiter(status);
}

bool GrowingIndex::may_read(size_t which) const {
  if (is_first(which) || is_awaited_whole() || has_failed_shard_ || is_closed_) {
    return true;
  }
  if (in_order_ == 0 && is_first(0)) {
    return false;
  }
  return waiters_.empty() || (reading_ < most_reading_ && which == *queue_.begin());
}

void GrowingIndex::begin_read(size_t which) {
  UniqueMutexLock lock(mutex_);
  queue_.insert(which);
  while (!may_read(which)) {
    changed_.wait(lock.native());
  }
  queue_.erase(which);
  ++reading_;
  changed_.notify_all();  // another one is first in the queue
}

void GrowingIndex::end_read(uint64_t bytes, int64_t taken_ns) {
  const MutexLock lock(mutex_);
  const double rate = taken_ns > 0 ? static_cast<double>(bytes) / static_cast<double>(taken_ns) : 0;
  if (bytes >= kLeastMeasuredBytes && rate > 0 && rate < kFastestWire) {
    best_rate_ = std::max(best_rate_, rate);
    if (rate >= kAsFast * best_rate_) {
      most_reading_ = std::min(std::max(most_reading_, reading_ + 1), kMostReading);
    } else if (rate < kMuchSlower * best_rate_) {
      most_reading_ = std::max<size_t>(1, std::min(most_reading_, reading_) - 1);
    }
  }
  --reading_;
  changed_.notify_all();
}

bool GrowingIndex::is_awaited(size_t which) const {
  const MutexLock lock(mutex_);
  return is_awaited_whole() || (is_first(which) && !waiters_.empty());
}

Status GrowingIndex::begin(size_t which, const storage::ObjectStat& stat) {
  const MutexLock lock(mutex_);
  Shard& shard = shards_[which];
  const bool is_same = shard.stat.size_bytes == stat.size_bytes &&
                       shard.stat.modified_ns == stat.modified_ns && shard.stat.version == stat.version;
  if (!shard.rows.empty() && !is_same) {
    return aborted("{}: it was replaced while its samples were being found; open the data set again",
                   storage::uri_for_message(paths_[which]));
  }
  if (!is_same) {
    shard.stat = stat;
  }
  shard.rows_told = 0;
  return ok_status();
}

void GrowingIndex::add(size_t which, std::span<const SampleRow> rows) {
  Waiters served;
  {
    const MutexLock lock(mutex_);
    append(which, rows);
    served = count();
  }
  tell(std::move(served), ok_status());
}

Status GrowingIndex::end(size_t which, const ShardRows& found) {
  Waiters served;
  {
    const MutexLock lock(mutex_);
    Shard& shard = shards_[which];
    const size_t rows = found.rows.size() + (found.lost_at ? static_cast<size_t>(num_fields_) : 0);
    if (shard.rows.size() > (shard.has_ended ? rows : found.rows.size())) {
      return found.damage.ok()
                 ? aborted("{}: samples of it that were found are gone; open the data set again",
                           storage::uri_for_message(paths_[which]))
                 : found.damage;
    }
    append(which, std::span(found.rows).subspan(shard.rows_told));
    if (found.lost_at && !shard.has_ended) {
      shard.rows.insert(shard.rows.end(), num_fields_,
                        lost_row(static_cast<uint32_t>(which), *found.lost_at));
      has_samples_ = has_samples_ || found.damage.ok();
    }
    shard.has_ended = true;
    served = count();
  }
  tell(std::move(served), ok_status());
  return ok_status();
}

// What an earlier scan has told is known.
void GrowingIndex::append(size_t which, std::span<const SampleRow> rows) {
  Shard& shard = shards_[which];
  for (SampleRow row : rows) {
    if (shard.rows_told++ >= shard.rows.size()) {
      row.object = row.is_missing() ? kNoObject : static_cast<uint32_t>(which);
      shard.rows.push_back(row);
    }
  }
  has_samples_ = has_samples_ || !rows.empty();
}

GrowingIndex::Waiters GrowingIndex::count() {
  const auto samples_in = [this](size_t which) FOREBAY_REQUIRES(mutex_) {
    return static_cast<int64_t>(shards_[which].rows.size()) / num_fields_;
  };
  const bool had_samples = known() > 0;
  const size_t had_shards = firsts_.size();
  while (firsts_.size() < shards_.size() && shards_[firsts_.size() - 1].has_ended) {
    firsts_.push_back(firsts_.back() + samples_in(firsts_.size() - 1));
  }
  in_order_ = firsts_.back() + samples_in(firsts_.size() - 1);
  Waiters served;
  while (!waiters_.empty() && waiters_.begin()->first <= known()) {
    served.insert(waiters_.extract(waiters_.begin()));
  }
  if (!had_samples || had_shards != firsts_.size() || !served.empty()) {
    changed_.notify_all();
  }
  return served;
}

void GrowingIndex::tell(Waiters waiters, const Status& status) {
  for (auto& [samples, waiter] : waiters) {
    caught([&, &called = waiter] {
      called(status);
      return ok_status();
    }).IgnoreError();  // of lack of memory: the others hear of it all the same
  }
}

void GrowingIndex::fail() {
  const MutexLock lock(mutex_);
  has_failed_shard_ = true;
  changed_.notify_all();
}

bool GrowingIndex::fail_until_awaited(const Status& status) {
  Waiters left;
  {
    const MutexLock lock(mutex_);
    left.swap(waiters_);
  }
  tell(std::move(left), status);
  UniqueMutexLock lock(mutex_);
  while (waiters_.empty() && !is_closed_) {
    changed_.wait(lock.native());
  }
  has_failed_shard_ = false;
  return !is_closed_;
}

void GrowingIndex::finish(const Status& status) {
  Waiters left;
  {
    const MutexLock lock(mutex_);
    has_finished_ = true;
    status_ = status;
    left.swap(waiters_);
  }
  tell(std::move(left), status);
}

void GrowingIndex::close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

}  // namespace forebay::dataset
