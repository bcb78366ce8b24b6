// The samples of shards that are still being scanned: those of the shards that are read first, as far as they
// are known. Where these are the first of the data set, a sample has the number that it will have in the
// whole index; else it is named by its place in its shard.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/joined_shards.h"
#include "forebay/dataset/index/reading_order.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/index/scan_pace.h"

namespace forebay::dataset {

/// A sample of a shard all of which is known.
struct PlaceInShard {
  uint64_t nth_own = 0;  // the shard, among those of the reader
  uint32_t shard = 0;
  uint64_t samples = 0;  // of the shard
  uint64_t place = 0;    // in it
};

/// Thread safe.
class GrowingIndex final : public SampleRows {
 public:
  /// Called with OK, or with the error that ended the scan. On the thread of a scan, or inline.
  using Waiter = absl::AnyInvocable<void(const Status& status)>;
  /// For when_known(): all that there are.
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

  GrowingIndex(std::vector<std::string> paths, int num_fields, ReadingOrder order);

  const ReadingOrder& reading_order() const { return order_; }

  /// How many of the reader's samples are known.
  int64_t size() const override;
  int num_fields() const override { return num_fields_; }
  bool has(int64_t sample) const override;
  SampleRow row(int64_t sample, int field = 0) const override;
  uint32_t num_objects() const override { return static_cast<uint32_t>(paths_.size()); }
  IndexedObject object(uint32_t id) const override;

  /// Of an order by shard: where the `k`-th of the reader's samples comes from, which is known. The samples
  /// of a shard are counted from its beginning.
  PlaceInShard place_of(uint64_t k) const;

  /// Calls `waiter` once the reader's first `samples` are known, or all that there are, or no more will be.
  void when_known(int64_t samples, Waiter waiter);

  // For those who scan, each shard on a thread of its own. A scan may be begun again after it has failed.

  /// Blocks until the shard's next read may go. What is waited for goes first: before any other shard the one
  /// that has the first samples, then that which has the next ones that somebody waits for. Beside that one
  /// others are read as far as the wire has more to give. Each call is followed by one of end_read().
  void begin_read(size_t which);
  /// `taken_ns`: how long the read took; 0 if it failed.
  void end_read(uint64_t bytes, int64_t taken_ns);
  /// Whether somebody waits for what this shard has next.
  bool is_awaited(size_t which) const;

  /// Called before each scan of the shard. `aborted` if samples of another version of it are known already.
  Status begin(size_t which, const storage::ObjectStat& stat);
  /// The next rows of the shard, of whole samples, from its first on.
  void add(size_t which, std::span<const SampleRow> rows);
  /// All that there is of the shard, with what add() was given. Its error, or `aborted`, if that is less than
  /// what is known.
  Status end(size_t which, const ShardRows& found);
  /// A shard cannot be scanned: those who read others for this scan wait for nothing more.
  void fail();

  /// The scan has ended with an error. Those who wait hear of it; then blocks until somebody waits again.
  /// False once close() was called.
  bool fail_until_awaited(const Status& status);
  /// The scan has ended for good.
  void finish(const Status& status);
  /// Nobody waits any more: reads do not wait for each other.
  void close();

 private:
  struct Shard {
    storage::ObjectStat stat{.size_bytes = kUnknownSize};
    std::vector<SampleRow> rows;
    size_t rows_told = 0;  // by the scan that is under way
    bool has_ended = false;
    bool is_lost = false;  // from some place on
  };
  using Waiters = std::multimap<int64_t, Waiter>;  // by the samples that they wait for

  bool is_awaited_whole() const FOREBAY_REQUIRES(mutex_) { return waiters_.contains(kAll); }
  /// Whether all shards before it, in the order in which they are read, have ended.
  bool is_first(size_t which) const FOREBAY_REQUIRES(mutex_) { return places_[which] == ended_; }
  bool may_read(size_t which) const FOREBAY_REQUIRES(mutex_);
  /// What is in order and known, unless that only stands for what is lost.
  int64_t known() const FOREBAY_REQUIRES(mutex_) { return has_samples_ ? in_order_ : 0; }
  int64_t samples_of(size_t which) const FOREBAY_REQUIRES(mutex_) {
    return static_cast<int64_t>(shards_[which].rows.size()) / num_fields_;
  }
  size_t own_at(int64_t k) const FOREBAY_REQUIRES(mutex_);
  void append(size_t which, std::span<const SampleRow> rows) FOREBAY_REQUIRES(mutex_);
  /// Returns those who waited for what is known now.
  Waiters count() FOREBAY_REQUIRES(mutex_);
  static void tell(Waiters waiters, const Status& status);

  const std::vector<std::string> paths_;
  const int num_fields_;
  const ReadingOrder order_;
  std::vector<size_t> places_;  // of the shards in that; never changed
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shard> shards_ FOREBAY_GUARDED_BY(mutex_);
  size_t ended_ FOREBAY_GUARDED_BY(mutex_) = 0;           // shards, from the one that is read first on
  int64_t samples_ended_ FOREBAY_GUARDED_BY(mutex_) = 0;  // in those
  /// Of each of the reader's own shards, up to the first that has not ended: which of its samples is the
  /// first.
  std::vector<int64_t> firsts_ FOREBAY_GUARDED_BY(mutex_);
  int64_t in_order_ FOREBAY_GUARDED_BY(mutex_) = 0;  // the reader's samples that are known
  bool has_samples_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_failed_shard_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_finished_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status status_ FOREBAY_GUARDED_BY(mutex_);
  Waiters waiters_ FOREBAY_GUARDED_BY(mutex_);
  ScanPace pace_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::dataset
