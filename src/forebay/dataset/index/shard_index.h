// The index of a data set in shards. Shards are scanned in parallel and their rows joined in shard order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forebay/dataset/index/growing_index.h"
#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/index/joined_shards.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {

/// Takes the next rows of a shard, of whole samples, while the scan goes on.
using TakeRows = std::function<void(std::span<const SampleRow> rows)>;

/// Scans shard number `which`; called on several threads at once. An error aborts the indexing. What the
/// function gives to `found`, which it need not call, are the first of the rows that it returns.
using ScanShard =
    std::function<Result<ShardRows>(size_t which, const ObjectByteSource& shard, const TakeRows& found)>;

/// What may be kept of a scan.
struct TableRules {
  /// A hash of everything that rows depend on besides their shard. Null: nothing is kept, because rows also
  /// depend on something else, such as index files.
  std::optional<uint64_t> parameters;
  /// Where what follows a row begins, of shards that are nothing but rows, of one field each, one behind the
  /// other: the rest of one is such a shard, too. Null: of others, which are scanned as a whole.
  uint64_t (*end_of_row)(const SampleRow& row) = nullptr;
  /// How much of such a shard is scanned, at least, until what was found is kept for one who is interrupted.
  uint64_t part_bytes = uint64_t{1} << 30;
};

/// A shard that is missing, unreadable, or damaged from its start counts as one lost sample. If no shard has
/// a sample, the shard's error is returned; not_found if there are neither samples nor errors. `paths` may
/// name a shard twice.
///
/// If the store of a shard keeps side data (storage::ObjectStore::derived), the rows of an undamaged shard
/// are kept there, and this version of the shard is not scanned again; a failure to keep them is a warning.
///
/// `growing`: is told of the samples as they are found; null: nobody is. Then the shards whose samples are
/// awaited are read before the others.
Result<std::shared_ptr<const SampleIndex>> index_shards(const SourceOptions& options,
                                                        const std::vector<std::string>& paths, int num_fields,
                                                        uint64_t parameters, const TableRules& tables,
                                                        const ScanShard& scan,
                                                        GrowingIndex* growing = nullptr);

}  // namespace forebay::dataset
