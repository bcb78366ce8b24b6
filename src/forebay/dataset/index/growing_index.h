// The samples of shards that are still being scanned: those of the first shards, in their order, as far as
// they are known. A sample has the number that it will have in the whole index.
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
#include "forebay/dataset/index/sample_index.h"

namespace forebay::dataset {

/// Thread safe.
class GrowingIndex final : public SampleRows {
 public:
  /// Called with OK, or with the error that ended the scan. On the thread of a scan, or inline.
  using Waiter = absl::AnyInvocable<void(const Status& status)>;

  GrowingIndex(std::vector<std::string> paths, int num_fields);

  int64_t size() const override;
  int num_fields() const override { return num_fields_; }
  SampleRow row(int64_t sample, int field = 0) const override;
  uint32_t num_objects() const override { return static_cast<uint32_t>(paths_.size()); }
  IndexedObject object(uint32_t id) const override;

  /// For when_known(): all that there are.
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

  /// Calls `waiter` once the first `samples` are known, or all that there are, or no more will be.
  void when_known(int64_t samples, Waiter waiter);

  // For those who scan, each shard on a thread of its own:

  /// Blocks until the shard is to be scanned. The first one goes alone until something of it is known, unless
  /// somebody waits for all: the wire is shared, and the first samples are read first. False once close() was
  /// called.
  bool await_turn(size_t which);
  /// Called once the scan of a shard has come to its end, or failed.
  void leave_turn();
  /// Whether somebody waits for what this shard has next.
  bool is_awaited(size_t which) const;
  /// Called before each scan of the shard. `aborted` if samples of another version of it are known already.
  Status begin(size_t which, const storage::ObjectStat& stat);
  /// The next rows of the shard, of whole samples.
  void add(size_t which, std::span<const SampleRow> rows);
  /// All that there is of the shard, with what add() was given.
  void end(size_t which, const ShardRows& found);
  /// All shards have ended, or the scan has.
  void finish(const Status& status);
  /// Nobody waits any more, and no shard begins.
  void close();

 private:
  struct Shard {
    storage::ObjectStat stat{.size_bytes = kUnknownSize};
    std::vector<SampleRow> rows;
    bool has_ended = false;
  };

  bool is_awaited_whole() const FOREBAY_REQUIRES(mutex_) { return waiters_.contains(kAll); }
  void let_all_begin() FOREBAY_REQUIRES(mutex_);
  /// What is in order and known, unless that only stands for what is lost.
  int64_t known() const FOREBAY_REQUIRES(mutex_) { return has_samples_ ? in_order_ : 0; }
  void append(size_t which, std::span<const SampleRow> rows) FOREBAY_REQUIRES(mutex_);
  /// Returns those who waited for what is known now.
  std::vector<Waiter> count() FOREBAY_REQUIRES(mutex_);
  static void tell(std::vector<Waiter> served);

  const std::vector<std::string> paths_;
  const int num_fields_;
  mutable Mutex mutex_;
  std::condition_variable may_begin_;
  std::vector<Shard> shards_ FOREBAY_GUARDED_BY(mutex_);
  /// The first sample of each shard up to the first that has not ended.
  std::vector<int64_t> firsts_ FOREBAY_GUARDED_BY(mutex_);
  int64_t in_order_ FOREBAY_GUARDED_BY(mutex_) = 0;  // samples of those shards
  bool has_samples_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_first_alone_ FOREBAY_GUARDED_BY(mutex_) = true;
  bool has_finished_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status status_ FOREBAY_GUARDED_BY(mutex_);
  std::multimap<int64_t, Waiter> waiters_ FOREBAY_GUARDED_BY(mutex_);  // by the samples that they wait for
};

}  // namespace forebay::dataset
