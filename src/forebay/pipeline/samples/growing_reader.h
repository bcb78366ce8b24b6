// A reader of samples that are still being found, from the first ones on.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/growing_source.h"
#include "forebay/dataset/order/order.h"

namespace forebay::pipeline {

/// The options with the numbers of samples that the data set has.
dataset::OrderOptions counted(dataset::OrderOptions options, const dataset::Source& source);
/// The order for as long as their number is not known; the options' dataset_size is not used. An error of
/// options that no number of samples would mend.
Result<dataset::Order> order_of_uncounted(dataset::OrderOptions options);

/// Thread safe.
class GrowingReader {
 public:
  /// `source`: it was entered, and is left by this.
  GrowingReader(std::shared_ptr<const dataset::GrowingSource> source, const dataset::OrderOptions& options,
                const dataset::Order& uncounted)
      : source_(std::move(source)), options_(options), early_(uncounted), now_(&early_) {}
  ~GrowingReader() { end(); }
  GrowingReader(const GrowingReader&) = delete;
  GrowingReader& operator=(const GrowingReader&) = delete;

  /// Nothing is read any more. If nobody else reads it, the scan ends.
  void end() FOREBAY_EXCLUDES(mutex_);
  /// After end(): blocks until a scan that it ended has ended, or waits for stores are interrupted.
  void await_end() const FOREBAY_EXCLUDES(mutex_);

  const dataset::GrowingSource& source() const { return *source_; }
  /// Without the number of samples.
  const dataset::OrderOptions& options() const { return options_; }
  /// Whether this order begins with samples of the first shards that are scanned, so that it is known before
  /// the number of samples is.
  bool may_begin_early() const;
  /// Right for all samples once all are known; before, item_at() tells what is. Lives as long as this.
  const dataset::Order& order() const;
  /// The k-th sample of the stream, which is known.
  dataset::StreamItem item_at(uint64_t k) const;
  bool is_whole() const;

 private:
  dataset::StreamItem item_in_shard(uint64_t k) const;

  const std::shared_ptr<const dataset::GrowingSource> source_;
  const dataset::OrderOptions options_;
  const dataset::Order early_;
  mutable std::atomic<const dataset::Order*> now_;
  mutable Mutex mutex_;
  mutable std::optional<dataset::Order> whole_ FOREBAY_GUARDED_BY(mutex_);  // written once
  bool has_left_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_ended_scan_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::pipeline
