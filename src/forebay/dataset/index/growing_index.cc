#include "forebay/dataset/index/growing_index.h"

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/check.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {

GrowingIndex::GrowingIndex(std::vector<std::string> paths, int num_fields, ReadingOrder order)
    : paths_(std::move(paths)),
      num_fields_(num_fields),
      order_(std::move(order)),
      places_(paths_.size()),
      shards_(paths_.size()),
      firsts_(1) {
  for (size_t place = 0; place < order_.shards.size(); ++place) {
    places_[order_.shards[place]] = place;
  }
}

int64_t GrowingIndex::size() const {
  const MutexLock lock(mutex_);
  return known();
}

bool GrowingIndex::has(int64_t sample) const {
  const MutexLock lock(mutex_);
  if (sample < kUncountedSample) {
    return sample >= 0 && !order_.is_by_shard && sample < known();
  }
  const uint64_t shard = shard_of_number(sample);
  return shard < shards_.size() && place_of_number(sample) < samples_of(shard);
}

SampleRow GrowingIndex::row(int64_t sample, int field) const {
  FOREBAY_CHECK(has(sample) && field >= 0 && field < num_fields_);
  const MutexLock lock(mutex_);
  if (sample >= kUncountedSample) {
    return shards_[shard_of_number(sample)].rows[place_of_number(sample) * num_fields_ + field];
  }
  const size_t own = own_at(sample);
  return shards_[order_.own[own]].rows[(sample - firsts_[own]) * num_fields_ + field];
}

/// Which of the reader's shards has its `k`-th sample.
size_t GrowingIndex::own_at(int64_t k) const {
  return static_cast<size_t>(std::ranges::upper_bound(firsts_, k) - firsts_.begin()) - 1;
}

PlaceInShard GrowingIndex::place_of(uint64_t k) const {
  const MutexLock lock(mutex_);
  const auto sample = static_cast<int64_t>(k);
  FOREBAY_CHECK(order_.is_by_shard && sample < in_order_);
  const size_t own = own_at(sample);
  const uint32_t shard = order_.own[own];
  return {.nth_own = own,
          .shard = shard,
          .samples = static_cast<uint64_t>(samples_of(shard)),
          .place = k - static_cast<uint64_t>(firsts_[own])};
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
  if (ended_ == 0 && shards_[order_.shards.front()].rows.empty()) {
    return false;
  }
  return waiters_.empty() || pace_.may_go(places_[which]);
}

void GrowingIndex::begin_read(size_t which) {
  UniqueMutexLock lock(mutex_);
  pace_.wait(places_[which]);
  while (!may_read(which)) {
    changed_.wait(lock.native());
  }
  pace_.begin(places_[which]);
  changed_.notify_all();  // another one is first of those who wait
}

void GrowingIndex::end_read(uint64_t bytes, int64_t taken_ns) {
  const MutexLock lock(mutex_);
  pace_.end(bytes, taken_ns);
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
    const bool is_lost = found.lost_at.has_value();
    const size_t known = shard.rows.size() - (shard.is_lost ? static_cast<size_t>(num_fields_) : 0);
    if (shard.has_ended ? known != found.rows.size() || is_lost != shard.is_lost
                        : known > found.rows.size()) {
      return found.damage.ok() ? aborted(
                                     "{}: its samples are not those that were found before; open the data "
                                     "set again",
                                     storage::uri_for_message(paths_[which]))
                               : found.damage;
    }
    append(which, std::span(found.rows).subspan(std::min(shard.rows_told, found.rows.size())));
    if (is_lost && !shard.has_ended) {
      shard.is_lost = true;
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
  const bool had_samples = known() > 0;
  const size_t had_ended = ended_;
  while (ended_ < shards_.size() && shards_[order_.shards[ended_]].has_ended) {
    const uint32_t shard = order_.shards[ended_];
    samples_ended_ += samples_of(shard);
    const size_t own = firsts_.size() - 1;
    if (own < order_.own.size() && order_.own[own] == shard) {
      firsts_.push_back(firsts_.back() + samples_of(shard));
    }
    ++ended_;
  }
  in_order_ = firsts_.back();
  if (order_.is_by_shard) {
    // Each reader has as many as all can have.
    in_order_ = std::min(in_order_, samples_ended_ / static_cast<int64_t>(order_.num_readers));
  } else if (ended_ < shards_.size()) {
    in_order_ += samples_of(order_.shards[ended_]);
  }
  Waiters served;
  while (!waiters_.empty() && waiters_.begin()->first <= known()) {
    served.insert(waiters_.extract(waiters_.begin()));
  }
  if (!had_samples || had_ended != ended_ || !served.empty()) {
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
