// A reader of samples that are still being found, from the first ones on.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/growing_source.h"
#include "forebay/dataset/order.h"

namespace forebay::pipeline {

/// Whether this order reads the first samples first, in the order of their numbers, so that it is known
/// before the number of samples is.
bool begins_with_first(const dataset::OrderOptions& options);
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
  /// Of options that begin with the first samples: right for those that are known, and for all once all are.
  /// Lives as long as this.
  const dataset::Order& order() const;
  bool is_whole() const;

 private:
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
