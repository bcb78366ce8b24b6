#include "forebay/dataset/index/growing_index.h"

#include <algorithm>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {

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
      if (is_awaited_whole()) {
        let_all_begin();
      }
      return;
    }
    status = samples > known() ? status_ : ok_status();
  }
  waiter(status);
}

bool GrowingIndex::await_turn(size_t which) {
  UniqueMutexLock lock(mutex_);
  while (which > 0 && is_first_alone_) {
    may_begin_.wait(lock.native());
  }
  return !is_closed_;
}

void GrowingIndex::leave_turn() {
  const MutexLock lock(mutex_);
  let_all_begin();
}

void GrowingIndex::let_all_begin() {
  is_first_alone_ = false;
  may_begin_.notify_all();
}

bool GrowingIndex::is_awaited(size_t which) const {
  const MutexLock lock(mutex_);
  return is_awaited_whole() || (which + 1 == firsts_.size() && !waiters_.empty());
}

Status GrowingIndex::begin(size_t which, const storage::ObjectStat& stat) {
  const MutexLock lock(mutex_);
  if (!shards_[which].rows.empty()) {
    return aborted("{}: it was replaced while its samples were being found; open the data set again",
                   storage::uri_for_message(paths_[which]));
  }
  shards_[which].stat = stat;
  return ok_status();
}

void GrowingIndex::add(size_t which, std::span<const SampleRow> rows) {
  std::vector<Waiter> served;
  {
    const MutexLock lock(mutex_);
    append(which, rows);
    served = count();
  }
  tell(std::move(served));
}

void GrowingIndex::end(size_t which, const ShardRows& found) {
  std::vector<Waiter> served;
  {
    const MutexLock lock(mutex_);
    Shard& shard = shards_[which];
    append(which, std::span(found.rows).subspan(shard.rows.size()));
    if (found.lost_at) {
      shard.rows.insert(shard.rows.end(), num_fields_,
                        lost_row(static_cast<uint32_t>(which), *found.lost_at));
      has_samples_ = has_samples_ || found.damage.ok();
    }
    shard.has_ended = true;
    served = count();
  }
  tell(std::move(served));
}

void GrowingIndex::append(size_t which, std::span<const SampleRow> rows) {
  for (SampleRow row : rows) {
    row.object = row.is_missing() ? kNoObject : static_cast<uint32_t>(which);
    shards_[which].rows.push_back(row);
  }
  has_samples_ = has_samples_ || !rows.empty();
}

std::vector<GrowingIndex::Waiter> GrowingIndex::count() {
  const auto samples_in = [this](size_t which) FOREBAY_REQUIRES(mutex_) {
    return static_cast<int64_t>(shards_[which].rows.size()) / num_fields_;
  };
  while (firsts_.size() < shards_.size() && shards_[firsts_.size() - 1].has_ended) {
    firsts_.push_back(firsts_.back() + samples_in(firsts_.size() - 1));
  }
  in_order_ = firsts_.back() + samples_in(firsts_.size() - 1);
  if (in_order_ > 0 && is_first_alone_) {
    let_all_begin();
  }
  std::vector<Waiter> served;
  const auto end = waiters_.upper_bound(known());
  for (auto waiter = waiters_.begin(); waiter != end; ++waiter) {
    served.push_back(std::move(waiter->second));
  }
  waiters_.erase(waiters_.begin(), end);
  return served;
}

void GrowingIndex::tell(std::vector<Waiter> served) {
  for (Waiter& waiter : served) {
    waiter(ok_status());
  }
}

void GrowingIndex::finish(const Status& status) {
  std::multimap<int64_t, Waiter> left;
  {
    const MutexLock lock(mutex_);
    has_finished_ = true;
    status_ = status;
    left.swap(waiters_);
  }
  for (auto& [samples, waiter] : left) {
    waiter(status);
  }
}

void GrowingIndex::close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  let_all_begin();
}

}  // namespace forebay::dataset
