// Shards that were scanned, joined in their order to one index.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/dataset/index/sample_index.h"

namespace forebay::dataset {

/// The result of scanning a shard.
struct ShardRows {
  std::vector<SampleRow> rows;  // sample by sample, one row for each field; the object id is filled in later
  /// The offset from which the shard is truncated or damaged. The rest is unknown and counts as one sample,
  /// whose read fails.
  std::optional<uint64_t> lost_at;
  Status damage;  // the cause, unless the shard is merely truncated
};

/// A field of the sample that stands for what is lost of a shard.
SampleRow lost_row(uint32_t object, uint64_t lost_at);

/// Not thread safe.
class JoinedShards {
 public:
  explicit JoinedShards(int num_fields) : num_fields_(num_fields), builder_(num_fields) {}

  /// The next shard. `stat`: its size is kUnknownSize if the object is missing.
  void add(const std::string& path, const storage::ObjectStat& stat, ShardRows found);

  /// If no shard has a sample, the first shard's error is returned; not_found if there are neither samples
  /// nor errors. Warns of what is lost.
  Result<std::shared_ptr<const SampleIndex>> finish(uint64_t parameters, const std::string& first_path);

 private:
  void add_lost(const std::string& path, uint32_t object, const ShardRows& found);

  const int num_fields_;
  SampleIndexBuilder builder_;
  std::map<std::string, uint32_t> objects_;
  bool has_samples_ = false;
  Status damage_;
  std::vector<std::string> warnings_;  // printed once there is an index; otherwise damage_ is returned
};

}  // namespace forebay::dataset
