// Keeps the result of scanning a shard, its table, where the shard's store keeps side data. So each version
// of a shard is scanned once, even if the user named no index of the data set or one shard of many was
// replaced.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/index/scan_folder.h"
#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// The tables of one data set. Thread safe. Several processes may keep the same table at once, since each
/// writes it as a whole.
class ShardTables {
 public:
  /// `parameters`: a hash of everything that rows depend on besides the shard. Null: keeps no tables. `scan`
  /// is where tables go while an index is made; without that, they go where the shard's store has a place.
  ShardTables(std::optional<uint64_t> parameters, int num_fields, ScanFolder scan);

  int num_fields() const { return num_fields_; }

  /// Returns the rows of this version of the shard, sample by sample; nothing if they are not kept. Ignores a
  /// table that is damaged or belongs to something else.
  std::optional<std::vector<SampleRow>> find(const storage::ObjectAddress& shard,
                                             const storage::ObjectStat& stat) const;

  /// Keeps the rows of an undamaged shard, unless there are none. Does nothing after a failure, as
  /// keep_part().
  void keep(const storage::ObjectAddress& shard, const storage::ObjectStat& stat,
            const std::vector<SampleRow>& rows);

  /// The first rows of a shard whose scan was interrupted; none if none are kept, or no index is being made
  /// in a file.
  std::vector<SampleRow> find_part(const storage::ObjectAddress& shard,
                                   const storage::ObjectStat& stat) const;
  /// Keeps them, instead of what was kept of this shard before.
  void keep_part(const storage::ObjectAddress& shard, const storage::ObjectStat& stat,
                 const std::vector<SampleRow>& rows);

  /// The first failure of keep() and keep_part(); OK if there was none.
  Status failure() const FOREBAY_EXCLUDES(mutex_);

 private:
  /// Where the shard's table may be; it is written to the first. None if its store has no versions.
  std::vector<storage::ObjectAddress> places_of(const storage::ObjectAddress& shard,
                                                const storage::ObjectStat& stat) const;
  std::optional<std::vector<SampleRow>> find_at(const storage::ObjectAddress& place,
                                                const storage::ObjectAddress& shard,
                                                const storage::ObjectStat& stat) const;
  bool fits(const SampleIndex& table, const storage::ObjectStat& stat) const;
  std::optional<storage::ObjectAddress> place_of_part(const storage::ObjectAddress& shard,
                                                      const storage::ObjectStat& stat) const;
  void keep_at(const storage::ObjectAddress& place, const storage::ObjectAddress& shard,
               const storage::ObjectStat& stat, const std::vector<SampleRow>& rows);
  Status write(const storage::ObjectAddress& place, const storage::ObjectAddress& shard,
               const storage::ObjectStat& stat, const std::vector<SampleRow>& rows) const;

  const std::optional<uint64_t> parameters_;
  const int num_fields_;
  const std::string kind_;
  const ScanFolder scan_;
  std::atomic<bool> has_failed_{false};
  mutable Mutex mutex_;
  Status failure_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::dataset
