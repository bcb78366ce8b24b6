#include "forebay/dataset/index/shard_index.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "forebay/base/log.h"
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

/// Returns the rows of an existing shard: from its table if there is one, else from a scan.
Result<ShardRows> rows_of(const storage::ObjectAddress& address, const storage::ObjectStat& stat,
                          size_t which, const ScanShard& scan, ShardTables& tables) {
  if (auto kept = tables.find(address, stat)) {
    return ShardRows{.rows = *std::move(kept)};
  }
  const ObjectByteSource shard(address, stat);
  FOREBAY_ASSIGN_OR_RETURN(ShardRows found, scan(which, shard));
  if (!found.lost_at && !shard.has_weak_version()) {
    tables.keep(address, stat, found.rows);
  }
  return found;
}

/// `stat`: the answer of the store about the shard.
Result<ScannedShard> scan_as(const Result<storage::ObjectStat>& stat, const storage::ObjectAddress& address,
                             size_t which, const ScanShard& scan, ShardTables& tables) {
  ScannedShard shard;
  shard.stat.size_bytes = kUnknownSize;
  if (!stat.ok() && is_of_object(stat.status())) {
    shard.found = {.lost_at = 0, .damage = stat.status()};
    return shard;
  }
  FOREBAY_ASSIGN_OR_RETURN(shard.stat, stat);
  Result<ShardRows> found = rows_of(address, shard.stat, which, scan, tables);
  if (found.status().code() == StatusCode::kPermissionDenied) {
    found = ShardRows{.lost_at = 0, .damage = found.status()};
  }
  FOREBAY_ASSIGN_OR_RETURN(shard.found, std::move(found));
  return shard;
}

/// If the shard was replaced or removed after the stats of all shards, asks for its stat once more.
Result<ScannedShard> scan_shard(const SourceOptions& options, const std::string& path,
                                const Result<storage::ObjectStat>& stat, size_t which, const ScanShard& scan,
                                ShardTables& tables) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
  Result<ScannedShard> shard = scan_as(stat, address, which, scan, tables);
  const StatusCode code = shard.status().code();
  if (code == StatusCode::kAborted || code == StatusCode::kNotFound) {
    return scan_as(storage::stat_now(*address.store, address.key, opening()), address, which, scan, tables);
  }
  return shard;
}

/// Where an interrupted scan is gone on with.
Result<ScanFolder> scan_folder_of(const SourceOptions& options) {
  if (options.index_file.empty()) {
    return ScanFolder(std::nullopt);
  }
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress index, registry_of(options).resolve(options.index_file));
  return ScanFolder(std::move(index));
}

/// Counts shards that are done. Thread safe.
class ScanProgress {
 public:
  ScanProgress(const SourceOptions& options, size_t shards, int num_fields)
      : tell_(options.progress), num_fields_(static_cast<size_t>(num_fields)) {
    progress_.shards = shards;
  }

  void done(const Result<ScannedShard>& shard) {
    const MutexLock lock(mutex_);
    ++progress_.shards_done;
    progress_.samples += shard.ok() ? shard->found.rows.size() / num_fields_ : 0;
    if (tell_) {
      tell_(progress_);
    }
  }

 private:
  const std::function<void(const IndexProgress&)>& tell_;
  const size_t num_fields_;
  Mutex mutex_;
  IndexProgress progress_ FOREBAY_GUARDED_BY(mutex_);
};

/// Joins shards in their order.
class ShardIndexer {
 public:
  explicit ShardIndexer(int num_fields) : num_fields_(num_fields), builder_(num_fields) {}

  void add(const std::string& path, ScannedShard shard) {
    const auto [place, is_new] = objects_.try_emplace(path, 0);
    if (is_new) {
      place->second = builder_.add_object(path, shard.stat);
    }
    for (SampleRow& row : shard.found.rows) {
      row.object = row.is_missing() ? kNoObject : place->second;
      builder_.add_row(row);
    }
    has_samples_ |= !shard.found.rows.empty();
    if (shard.found.lost_at) {
      add_lost(path, place->second, shard.found);
    }
  }

  Result<std::shared_ptr<const SampleIndex>> finish(uint64_t parameters, const std::string& first_path) {
    if (!has_samples_ && !damage_.ok()) {
      return damage_;
    }
    if (builder_.num_samples() == 0) {
      return not_found("{}: no samples found", storage::uri_for_message(first_path));
    }
    for (const std::string& warning : warnings_) {
      log_warning("{}", warning);
    }
    return builder_.finish(parameters);
  }

 private:
  void add_lost(const std::string& path, uint32_t object, const ShardRows& found) {
    SampleRow lost;
    lost.object = object;
    lost.flags = kLostRow;
    lost.offset_bytes = *found.lost_at;
    for (int field = 0; field < num_fields_; ++field) {
      builder_.add_row(lost);
    }
    if (found.damage.ok()) {
      warnings_.push_back(fmt::format("{}: cut at {}; the rest counts as one broken sample",
                                      storage::uri_for_message(path), *found.lost_at));
      has_samples_ = true;
      return;
    }
    warnings_.push_back(fmt::format("{}; the rest counts as one broken sample", message(found.damage)));
    if (damage_.ok()) {
      damage_ = found.damage;
    }
  }

  const int num_fields_;
  SampleIndexBuilder builder_;
  std::map<std::string, uint32_t> objects_;
  bool has_samples_ = false;
  Status damage_;
  std::vector<std::string> warnings_;  // printed once there is an index; otherwise damage_ is returned
};

}  // namespace

Result<std::shared_ptr<const SampleIndex>> index_shards(const SourceOptions& options,
                                                        const std::vector<std::string>& paths, int num_fields,
                                                        uint64_t parameters,
                                                        std::optional<uint64_t> table_parameters,
                                                        const ScanShard& scan) {
  std::vector<Result<storage::ObjectStat>> stats(paths.size(), internal_error("not looked at"));
  FOREBAY_RETURN_IF_ERROR(stat_paths(
      registry_of(options), paths.size(), [&](size_t which) { return paths[which]; },
      [&](size_t which, Result<storage::ObjectStat> stat) { stats[which] = std::move(stat); }));
  FOREBAY_ASSIGN_OR_RETURN(const ScanFolder scan_folder, scan_folder_of(options));
  ShardTables tables(table_parameters, num_fields, scan_folder);
  ScanProgress progress(options, paths.size(), num_fields);
  std::vector<Result<ScannedShard>> shards(paths.size(), internal_error("not scanned"));
  const Status scanned = storage::run_parallel_calls(paths.size(), [&](size_t which) {
    shards[which] = scan_shard(options, paths[which], stats[which], which, scan, tables);
    progress.done(shards[which]);
    return shards[which].status();
  });
  FOREBAY_RETURN_IF_ERROR(scanned);
  if (!tables.failure().ok()) {
    log_warning("{}; tables of shards are not kept, so they are scanned again at the next start",
                message(tables.failure()));
    scan_folder.remove();
  }
  ShardIndexer indexer(num_fields);
  for (size_t which = 0; which < paths.size(); ++which) {
    indexer.add(paths[which], *std::move(shards[which]));
  }
  return indexer.finish(parameters, paths.front());
}

}  // namespace forebay::dataset
