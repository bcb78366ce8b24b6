// The samples of shards that are still being scanned: those of the first shards, in their order, as far as
// they are known. A sample has the number that it will have in the whole index.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/joined_shards.h"
#include "forebay/dataset/index/sample_index.h"

namespace forebay::dataset {

/// Thread safe.
class GrowingIndex final : public SampleRows {
 public:
  /// Called with OK, or with the error that ended the scan. On the thread of a scan, or inline.
  using Waiter = absl::AnyInvocable<void(const Status& status)>;
  /// For when_known(): all that there are.
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

  GrowingIndex(std::vector<std::string> paths, int num_fields);

  int64_t size() const override;
  int num_fields() const override { return num_fields_; }
  SampleRow row(int64_t sample, int field = 0) const override;
  uint32_t num_objects() const override { return static_cast<uint32_t>(paths_.size()); }
  IndexedObject object(uint32_t id) const override;

  /// Calls `waiter` once the first `samples` are known, or all that there are, or no more will be.
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
  };
  using Waiters = std::multimap<int64_t, Waiter>;  // by the samples that they wait for

  bool is_awaited_whole() const FOREBAY_REQUIRES(mutex_) { return waiters_.contains(kAll); }
  bool is_first(size_t which) const FOREBAY_REQUIRES(mutex_) { return which + 1 == firsts_.size(); }
  bool may_read(size_t which) const FOREBAY_REQUIRES(mutex_);
  /// What is in order and known, unless that only stands for what is lost.
  int64_t known() const FOREBAY_REQUIRES(mutex_) { return has_samples_ ? in_order_ : 0; }
  void append(size_t which, std::span<const SampleRow> rows) FOREBAY_REQUIRES(mutex_);
  /// Returns those who waited for what is known now.
  Waiters count() FOREBAY_REQUIRES(mutex_);
  static void tell(Waiters waiters, const Status& status);

  const std::vector<std::string> paths_;
  const int num_fields_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shard> shards_ FOREBAY_GUARDED_BY(mutex_);
  /// The first sample of each shard up to the first that has not ended.
  std::vector<int64_t> firsts_ FOREBAY_GUARDED_BY(mutex_);
  int64_t in_order_ FOREBAY_GUARDED_BY(mutex_) = 0;  // samples of those shards
  bool has_samples_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_failed_shard_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_finished_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status status_ FOREBAY_GUARDED_BY(mutex_);
  Waiters waiters_ FOREBAY_GUARDED_BY(mutex_);

  // How many reads the wire takes beside each other:
  std::set<size_t> queue_ FOREBAY_GUARDED_BY(mutex_);  // shards whose next read may not go yet
  size_t reading_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t most_reading_ FOREBAY_GUARDED_BY(mutex_) = 1;
  double best_rate_ FOREBAY_GUARDED_BY(mutex_) = 0;  // of a single read
};

}  // namespace forebay::dataset
