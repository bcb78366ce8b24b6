#include "forebay/pipeline/samples/growing_reader.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/base/check.h"

namespace forebay::pipeline {
namespace {

/// More samples than there are: the first of them are read in the same order, however many there are.
constexpr uint64_t kUncounted = uint64_t{1} << 60;

}  // namespace

dataset::OrderOptions counted(dataset::OrderOptions options, const dataset::Source& source) {
  options.dataset_size = static_cast<uint64_t>(source.size());
  if (options.shard_first) {
    options.stored_shards = std::make_shared<const std::vector<uint64_t>>(source.stored_shards());
  }
  if (options.bucket_by_length != 0) {
    options.lengths = std::make_shared<const std::vector<uint64_t>>(source.lengths());
  }
  return options;
}

Result<dataset::Order> order_of_uncounted(dataset::OrderOptions options) {
  if (options.bucket_by_length != 0) {
    FOREBAY_RETURN_IF_ERROR(dataset::check_window(options));
  }
  options.dataset_size = kUncounted;
  options.shard_first = false;   // of which the shards have to be counted
  options.bucket_by_length = 0;  // which needs the length of each sample
  return dataset::Order::create(options);
}

bool GrowingReader::may_begin_early() const {
  if (options_.bucket_by_length != 0) {
    return false;
  }
  const bool is_as_stored = options_.num_shards == 1 && !options_.random_shuffle && !options_.shard_first &&
                            !options_.shuffle_after_epoch;
  return is_as_stored || source_->reading_order().is_by_shard;
}

dataset::StreamItem GrowingReader::item_at(uint64_t k) const {
  const dataset::Order& now = order();
  return options_.shard_first && &now == &early_ ? item_in_shard(k) : now.at(k);
}

// As the whole order will have it, but for the number of the sample.
dataset::StreamItem GrowingReader::item_in_shard(uint64_t k) const {
  using dataset::ShardOrder;
  const dataset::PlaceInShard at = source_->place_of(k);
  const uint64_t num_shards = source_->reading_order().shards.size();
  const uint64_t first = ShardOrder::first_shard(options_.shard_id, num_shards, options_.num_shards);
  const uint64_t sample = ShardOrder::within(options_.seed, 0, at.shard, at.samples)(at.place);
  return {.epoch = 0,
          .position = ShardOrder::position(first + at.nth_own, at.place),
          .index = static_cast<uint64_t>(dataset::number_in_shard(at.shard, sample))};
}

const dataset::Order& GrowingReader::order() const {
  if (const dataset::Order* const now = now_.load(std::memory_order_acquire); now != &early_) {
    return *now;
  }
  const std::shared_ptr<dataset::Source> whole = source_->whole();
  if (whole == nullptr) {
    return early_;
  }
  const MutexLock lock(mutex_);
  if (!whole_) {
    Result<dataset::Order> order = dataset::Order::create(counted(options_, *whole));
    FOREBAY_CHECK(order.ok());  // with any number of samples
    whole_.emplace(*std::move(order));
    now_.store(&*whole_, std::memory_order_release);
  }
  return *now_.load(std::memory_order_relaxed);
}

void GrowingReader::end() {
  const MutexLock lock(mutex_);
  if (!std::exchange(has_left_, true)) {
    has_ended_scan_ = source_->leave();
  }
}

void GrowingReader::await_end() const {
  {
    const MutexLock lock(mutex_);
    if (!has_ended_scan_) {
      return;
    }
  }
  source_->await_known(dataset::GrowingIndex::kAll).IgnoreError();  // an ended scan has one
}

bool GrowingReader::is_whole() const {
  return &order() != &early_;
}

}  // namespace forebay::pipeline
