#include "forebay/pipeline/samples/growing_reader.h"

#include <cstdint>
#include <utility>

#include "forebay/base/check.h"

namespace forebay::pipeline {
namespace {

/// More samples than there are: the first of them are read in the same order, however many there are.
constexpr uint64_t kUncounted = uint64_t{1} << 60;

}  // namespace

bool begins_with_first(const dataset::OrderOptions& options) {
  return options.num_shards == 1 && !options.random_shuffle && !options.shard_first &&
         !options.shuffle_after_epoch;
}

Result<dataset::Order> order_of_uncounted(dataset::OrderOptions options) {
  options.dataset_size = kUncounted;
  options.shard_first = false;  // of which the shards have to be counted
  return dataset::Order::create(options);
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
    dataset::OrderOptions options = options_;
    options.dataset_size = static_cast<uint64_t>(whole->size());
    Result<dataset::Order> order = dataset::Order::create(options);
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
