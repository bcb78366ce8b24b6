// The index of a data set in shards: each is scanned, several at once, and their rows are put together in the
// order of the shards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {

/// What a scan has found.
struct ShardRows {
  std::vector<SampleRow> rows;  // sample by sample, a row for each field; the object is filled in later
  /// Where the shard is cut or damaged: what lies behind is unknown and counts as one sample, whose read
  /// fails.
  std::optional<uint64_t> lost_at;
  Status damage;  // why, when it is no mere cut
};

/// Scans shard number `which`; called on several threads at once. An error ends the making of the index.
using ScanShard = std::function<Result<ShardRows>(size_t which, const ObjectByteSource& shard)>;

/// A shard that is missing, may not be read, or is damaged from its beginning counts as one lost sample; its
/// error is that of the whole when no shard has a sample. not_found when there are neither samples nor
/// errors. `paths` may name a shard twice.
Result<std::shared_ptr<const SampleIndex>> index_shards(const SourceOptions& options,
                                                        const std::vector<std::string>& paths, int num_fields,
                                                        uint64_t parameters, const ScanShard& scan);

}  // namespace forebay::dataset
