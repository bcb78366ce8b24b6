// A data set in shards that can be read while its samples are being found: from the first ones on, in their
// order. A scan of all shards goes on beside the reads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "forebay/dataset/index/growing_index.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/source.h"
#include "forebay/storage/store_registry.h"

namespace forebay::dataset {

/// How a kind of data set is scanned and read. Called on threads of the scan.
struct GrowingParts {
  std::vector<std::string> paths;  // of the shards
  int rows_each = 1;               // rows of a sample
  /// Scans the shards. Blocks; ends early where waits for stores are interrupted
  /// (storage::InterruptibleWaits).
  std::function<Result<std::shared_ptr<const SampleIndex>>(GrowingIndex& growing)> scan;
  std::function<std::shared_ptr<Source>(std::shared_ptr<const SampleRows> rows)> source_of;
  /// Whoever waits longer than that for all samples is told why, in the log.
  std::chrono::milliseconds said_after = std::chrono::seconds(5);
};

/// What is not known yet is not there: locate() and read() give out_of_range. Must not be destroyed by what
/// it calls: the destructor ends the scan, and waits for that.
class GrowingSource final : public Source {
 public:
  /// Begins the scan.
  explicit GrowingSource(GrowingParts parts);
  ~GrowingSource() override;
  GrowingSource(const GrowingSource&) = delete;
  GrowingSource& operator=(const GrowingSource&) = delete;

  /// How many samples are known.
  int64_t size() const override { return now().size(); }
  int num_fields() const override { return early_->num_fields(); }
  Result<SampleLocation> locate(int64_t index) const override { return now().locate(index); }
  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    now().read(index, flags, std::move(done));
  }
  void plan(int64_t index, std::vector<PlannedRead>* reads) const override { now().plan(index, reads); }
  std::vector<std::shared_ptr<storage::ObjectStore>> stores() const override { return early_->stores(); }

  /// Calls `waiter` once the first `samples` are known, or all that there are, with OK, or with the error
  /// that ended the scan before; on a thread of the scan, or inline.
  void when_known(int64_t samples, GrowingIndex::Waiter waiter) const {
    growing_->when_known(samples, std::move(waiter));
  }
  /// Blocks until then; `cancelled` if waits for stores are interrupted.
  Status await_known(int64_t samples) const;

  /// Whoever reads the data set and has not left keeps the scan going. False if it has failed, or was ended
  /// because nobody did: the data set has to be opened anew.
  bool enter() const FOREBAY_EXCLUDES(mutex_);
  /// The last to leave ends the scan, without waiting for that; true if that was this one.
  bool leave() const FOREBAY_EXCLUDES(mutex_);

  /// The data set with all of its samples, which have the same numbers; null while they are being found.
  std::shared_ptr<Source> whole() const FOREBAY_EXCLUDES(mutex_);
  /// The same, waited for like await_known().
  Result<std::shared_ptr<Source>> await_whole() const;

 private:
  void scan();
  void end_scan() const;
  /// What it has lives as long as this.
  const Source& now() const;
  void say_what_is_awaited() const;

  const GrowingParts parts_;
  const std::shared_ptr<GrowingIndex> growing_;
  const std::shared_ptr<Source> early_;
  mutable Mutex mutex_;
  std::shared_ptr<Source> whole_ FOREBAY_GUARDED_BY(mutex_);
  mutable int readers_ FOREBAY_GUARDED_BY(mutex_) = 0;
  mutable bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;  // before all samples were found
  mutable std::stop_source stop_;
  const std::jthread scan_;  // ends first
};

/// Whether samples of these shards are better read while others are found: not where shards are local files,
/// in which they are found soon.
bool are_far(const storage::StoreRegistry& registry, const std::vector<std::string>& paths);

}  // namespace forebay::dataset
