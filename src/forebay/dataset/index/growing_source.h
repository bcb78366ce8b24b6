// A data set in shards that can be read while its samples are being found: those of the shards that are read
// first, in their order. A scan of all shards goes on beside the reads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "forebay/dataset/index/growing_index.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/source.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::dataset {

/// How a kind of data set is scanned and read. Called on threads of the scan.
struct ShardParts {
  std::vector<std::string> paths;  // of the shards
  int rows_each = 1;               // rows of a sample
  /// Null: the process's. Otherwise it must outlive the source, whose destructor then waits for the scan.
  const storage::StoreRegistry* registry = nullptr;
  /// Scans the shards, and tells `growing` of them unless it is null. Blocks; ends early where waits for
  /// stores are interrupted (storage::InterruptibleWaits).
  std::function<Result<std::shared_ptr<const SampleIndex>>(GrowingIndex* growing)> scan;
  std::function<std::shared_ptr<Source>(std::shared_ptr<const SampleRows> rows)> source_of;
  /// Whoever waits longer than that for all samples is told why, in the log.
  std::chrono::milliseconds said_after = std::chrono::seconds(5);
};

/// What is not known yet is not there: locate() and read() give out_of_range. The destructor ends the scan.
class GrowingSource final : public Source {
 public:
  /// Begins the scan.
  GrowingSource(ShardParts parts, ReadingOrder order);
  ~GrowingSource() override;
  GrowingSource(const GrowingSource&) = delete;
  GrowingSource& operator=(const GrowingSource&) = delete;

  const ReadingOrder& reading_order() const;

  /// How many of the reader's samples are known.
  int64_t size() const override;
  int num_fields() const override;
  Result<SampleLocation> locate(int64_t index) const override;
  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override;
  void plan(int64_t index, std::vector<PlannedRead>* reads) const override;
  std::vector<std::shared_ptr<storage::ObjectStore>> stores() const override;

  /// See GrowingIndex.
  PlaceInShard place_of(uint64_t k) const;

  /// Calls `waiter` once the reader's first `samples` are known, or all that there are, with OK, or with the
  /// error that ended the scan before; on a thread of the scan, or inline. After an error of a store that did
  /// not answer, or refused, whoever waits has the scan tried again.
  void when_known(int64_t samples, GrowingIndex::Waiter waiter) const;
  /// Blocks until then; `cancelled` if waits for stores are interrupted.
  Status await_known(int64_t samples) const;

  /// Whoever reads the data set and has not left keeps the scan going. False if it has failed for good, or
  /// was ended because nobody did: the data set has to be opened anew.
  bool enter() const;
  /// The last to leave ends the scan, without waiting for that; true if that was this one.
  bool leave() const;

  /// The data set with all of its samples, which have the same numbers; null while they are being found.
  std::shared_ptr<Source> whole() const;

 private:
  struct Scan;

  const std::shared_ptr<Scan> scan_;  // the thread keeps it, too
  std::jthread thread_;
};

/// Opens the data set: a GrowingSource, unless its shards are local files, in which samples are found soon.
/// `order`: what it is read in; its dataset_size is not used.
Result<std::shared_ptr<Source>> open_shards(ShardParts parts, const OrderOptions& order);

}  // namespace forebay::dataset
