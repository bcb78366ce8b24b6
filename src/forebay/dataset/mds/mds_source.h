// Samples of MosaicML's streaming shards (MDS): folders with an index.json and shards, as MDSWriter writes
// them.
//
// Fields: one for each column that is asked for, in that order; mds_value.h says as what. Samples are in the
// order of the folders, of their shards, and in a shard.
//
// A sample of a shard that is not compressed is read by its range. A compressed shard is read and unpacked as
// a whole, and so is any shard whose hashes are checked; it is kept for its other samples as long as there is
// room.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

struct MdsOptions : SourceOptions {
  std::vector<std::string> path;  // folders, each with an index.json
  std::vector<std::string>
      columns;  // empty: samples without fields, which is only useful for making the index
  /// Checks the hashes that index.json gives, of each shard that is read.
  bool verify_hashes = false;
  /// What unpacked shards may take in memory together, those being read included.
  int64_t block_bytes = int64_t{1} << 30;
};

/// invalid_argument for options that contradict each other.
Status check(const MdsOptions& options);

/// not_found and data_loss for an index.json that is missing or broken; invalid_argument for a column that a
/// shard does not have, or has in another encoding than others; unimplemented for encodings that cannot be
/// read. A shard that is missing, or not what the index says, counts as one sample whose read fails.
Result<std::shared_ptr<Source>> make_mds_source(const MdsOptions& options);

}  // namespace forebay::dataset
