#include "forebay/dataset/index/shard_index.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "forebay/base/log/log.h"
#include "forebay/dataset/index/scan_progress.h"
#include "forebay/dataset/index/shard_table.h"
#include "forebay/dataset/index/stat_paths.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/parallel_calls.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

struct ScannedShard {
  storage::ObjectStat stat;  // its size is kUnknownSize if the object is missing
  ShardRows found;
};

/// Scans one shard.
class ShardScan final : private ReadPace {
 public:
  /// `growing` may be null. All must outlive it.
  ShardScan(size_t which, storage::ObjectAddress address, const ScanShard& scan, ShardTables& tables,
            const TableRules& rules, ScanProgress& progress, GrowingIndex* growing)
      : which_(which),
        address_(std::move(address)),
        scan_(scan),
        tables_(tables),
        rules_(rules),
        progress_(progress),
        growing_(growing) {}

  /// If the shard was replaced or removed after the stats of all shards, asks for its stat once more.
  Result<ScannedShard> run(const Result<storage::ObjectStat>& stat) const {
    Result<ScannedShard> shard = run_as(stat);
    const StatusCode code = shard.status().code();
    if (code == StatusCode::kAborted || code == StatusCode::kNotFound) {
      shard = run_as(storage::stat_now(*address_.store, address_.key, opening()));
    }
    if (growing_ != nullptr && shard.ok()) {
      FOREBAY_RETURN_IF_ERROR(growing_->end(which_, shard->found));
    }
    return shard;
  }

 private:
  /// `stat`: the answer of the store about the shard.
  Result<ScannedShard> run_as(const Result<storage::ObjectStat>& stat) const {
    ScannedShard shard;
    shard.stat.size_bytes = kUnknownSize;
    if (!stat.ok() && is_of_object(stat.status())) {
      shard.found = {.lost_at = 0, .damage = stat.status()};
      return shard;
    }
    FOREBAY_ASSIGN_OR_RETURN(shard.stat, stat);
    if (growing_ != nullptr) {
      FOREBAY_RETURN_IF_ERROR(growing_->begin(which_, shard.stat));
    }
    Result<ShardRows> found = rows_of(shard.stat);
    if (found.status().code() == StatusCode::kPermissionDenied) {
      found = ShardRows{.lost_at = 0, .damage = found.status()};
    }
    FOREBAY_ASSIGN_OR_RETURN(shard.found, std::move(found));
    return shard;
  }

  /// Of an existing shard: from its table if there is one, else from a scan.
  Result<ShardRows> rows_of(const storage::ObjectStat& stat) const {
    if (auto kept = tables_.find(address_, stat)) {
      return ShardRows{.rows = *std::move(kept)};
    }
    progress_.expect(which_, stat.size_bytes);
    std::vector<SampleRow> known;
    if (rules_.end_of_row != nullptr) {
      known = tables_.find_part(address_, stat);
    }
    if (!known.empty()) {
      // What is wrong with the rest is named by its place in the whole shard.
      Result<ShardRows> rest = rows_behind(std::move(known), stat);
      if (rest.ok() ? !rest->lost_at : rest.status().code() != StatusCode::kInvalidArgument) {
        return rest;
      }
      if (growing_ != nullptr) {
        FOREBAY_RETURN_IF_ERROR(growing_->begin(which_, stat));
      }
    }
    return rows_behind({}, stat);
  }

  /// Those that were found before, and what a scan finds behind them.
  Result<ShardRows> rows_behind(std::vector<SampleRow> known, const storage::ObjectStat& stat) const {
    const uint64_t begin = known.empty() ? 0 : rules_.end_of_row(known.back());
    progress_.begin(which_, begin);
    add(known);
    const bool is_followed = growing_ != nullptr || progress_.is_watched();
    const ObjectByteSource shard(address_, stat, is_followed ? this : nullptr, begin);
    uint64_t next_part = begin + rules_.part_bytes;
    const auto take = [&](std::span<const SampleRow> rows) {
      if (rules_.end_of_row == nullptr) {
        add(rows);
        return;
      }
      for (SampleRow row : rows) {
        row.offset_bytes += begin;
        known.push_back(row);
      }
      add(std::span<const SampleRow>(known).last(rows.size()));
      const uint64_t end = known.empty() ? 0 : rules_.end_of_row(known.back());
      if (end >= next_part && !shard.has_weak_version()) {
        tables_.keep_part(address_, stat, known);
        next_part =
            end + std::max(rules_.part_bytes, end / 8);  // however large the shard, what is written is not
      }
    };
    const size_t known_before = known.size();
    FOREBAY_ASSIGN_OR_RETURN(ShardRows found, scan_(which_, shard, take));
    if (known_before > 0) {
      for (SampleRow& row : found.rows) {
        row.offset_bytes += begin;
      }
      known.resize(known_before);
      found.rows.insert(found.rows.begin(), known.begin(), known.end());
    }
    if (!found.lost_at && !shard.has_weak_version()) {
      tables_.keep(address_, stat, found.rows);
    }
    return found;
  }

  void add(std::span<const SampleRow> rows) const {
    progress_.add(which_, rows.size() / static_cast<size_t>(tables_.num_fields()));
    if (growing_ != nullptr) {
      growing_->add(which_, rows);
    }
  }

  /// Beside readers, what nobody waits for comes after what they read.
  storage::CallContext begin_read() const override {
    if (growing_ == nullptr) {
      return {};
    }
    growing_->begin_read(which_);
    const bool is_awaited = growing_->is_awaited(which_);
    return {.priority = is_awaited ? storage::Priority::kDemand : storage::Priority::kPrefetch};
  }
  void end_read(uint64_t offset_bytes, uint64_t length_bytes, int64_t taken_ns) const override {
    if (growing_ != nullptr) {
      growing_->end_read(length_bytes, taken_ns);
    }
    progress_.read(which_, offset_bytes, length_bytes);
  }

  const size_t which_;
  const storage::ObjectAddress address_;
  const ScanShard& scan_;
  ShardTables& tables_;
  const TableRules& rules_;
  ScanProgress& progress_;
  GrowingIndex* const growing_;
};

/// Where an interrupted scan is gone on with.
Result<ScanFolder> scan_folder_of(const SourceOptions& options) {
  if (options.index_file.empty()) {
    return ScanFolder(std::nullopt);
  }
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress index, registry_of(options).resolve(options.index_file));
  return ScanFolder(std::move(index));
}

}  // namespace

Result<std::shared_ptr<const SampleIndex>> index_shards(const SourceOptions& options,
                                                        const std::vector<std::string>& paths, int num_fields,
                                                        uint64_t parameters, const TableRules& rules,
                                                        const ScanShard& scan, GrowingIndex* growing) {
  std::vector<Result<storage::ObjectStat>> stats(paths.size(), internal_error("not looked at"));
  FOREBAY_RETURN_IF_ERROR(stat_paths(
      registry_of(options), paths.size(), [&](size_t which) { return paths[which]; },
      [&](size_t which, Result<storage::ObjectStat> stat) { stats[which] = std::move(stat); }));
  FOREBAY_ASSIGN_OR_RETURN(const ScanFolder scan_folder, scan_folder_of(options));
  ShardTables tables(rules.parameters, num_fields, scan_folder);
  ScanProgress progress(options.progress, paths.size());
  for (size_t which = 0; which < paths.size(); ++which) {
    progress.expect(which, stats[which].ok() ? stats[which]->size_bytes : 0);
  }
  std::vector<Result<ScannedShard>> shards(paths.size(), internal_error("not scanned"));
  const Status scanned = storage::run_parallel_calls(paths.size(), [&](size_t place) {
    const size_t which = growing == nullptr ? place : growing->reading_order().shards[place];
    const absl::Cleanup tell_failure = [&] {
      if (growing != nullptr && !shards[which].ok()) {
        growing->fail();
      }
    };
    FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, registry_of(options).resolve(paths[which]));
    shards[which] =
        ShardScan(which, std::move(address), scan, tables, rules, progress, growing).run(stats[which]);
    progress.done(
        which, shards[which].ok() ? shards[which]->found.rows.size() / static_cast<size_t>(num_fields) : 0);
    return shards[which].status();
  });
  FOREBAY_RETURN_IF_ERROR(scanned);
  if (!tables.failure().ok()) {
    log_warning("{}; tables of shards are not kept, so they are scanned again at the next start",
                message(tables.failure()));
    scan_folder.remove();
  }
  JoinedShards joined(num_fields);
  for (size_t which = 0; which < paths.size(); ++which) {
    joined.add(paths[which], shards[which]->stat, std::move(shards[which]->found));
  }
  return joined.finish(parameters, paths.front());
}

}  // namespace forebay::dataset
