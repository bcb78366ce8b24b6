#include "forebay/dataset/index/shard_table.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "forebay/base/log/log.h"

namespace forebay::dataset {

ShardTables::ShardTables(std::optional<uint64_t> parameters, int num_fields, ScanFolder scan)
    : parameters_(parameters),
      num_fields_(num_fields),
      kind_(fmt::format("shard-{:016x}", parameters.value_or(0))),
      scan_(std::move(scan)) {
}

std::vector<storage::ObjectAddress> ShardTables::places_of(const storage::ObjectAddress& shard,
                                                           const storage::ObjectStat& stat) const {
  std::vector<storage::ObjectAddress> places;
  if (!parameters_ || stat.version.empty()) {
    return places;
  }
  if (auto beside = scan_.place_of(shard.uri(), stat.version, kind_)) {
    places.push_back(*std::move(beside));
  }
  Result<storage::ObjectAddress> derived = shard.store->derived(shard.key, stat.version, kind_);
  if (derived.ok()) {
    places.push_back(*std::move(derived));
  }
  return places;
}

bool ShardTables::fits(const SampleIndex& table, const storage::ObjectStat& stat) const {
  if (table.parameters() != *parameters_ || table.num_fields() != num_fields_ || table.num_objects() != 1) {
    return false;
  }
  const IndexedObject object = table.object(0);
  return object.version == stat.version && object.size_bytes == stat.size_bytes;
}

std::optional<std::vector<SampleRow>> ShardTables::find(const storage::ObjectAddress& shard,
                                                        const storage::ObjectStat& stat) const {
  for (const storage::ObjectAddress& place : places_of(shard, stat)) {
    if (auto rows = find_at(place, shard, stat)) {
      return rows;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<SampleRow>> ShardTables::find_at(const storage::ObjectAddress& place,
                                                           const storage::ObjectAddress& shard,
                                                           const storage::ObjectStat& stat) const {
  const Result<std::shared_ptr<const SampleIndex>> table = SampleIndex::open(place);
  if (!table.ok()) {
    if (table.status().code() != StatusCode::kNotFound) {
      log_info("{}; {} is scanned", message(table.status()), shard.uri());
    }
    return std::nullopt;
  }
  if (!fits(**table, stat)) {
    return std::nullopt;
  }
  std::vector<SampleRow> rows;
  rows.reserve(static_cast<size_t>((*table)->size()) * static_cast<size_t>(num_fields_));
  for (int64_t sample = 0; sample < (*table)->size(); ++sample) {
    for (int field = 0; field < num_fields_; ++field) {
      rows.push_back((*table)->row(sample, field));
    }
  }
  return rows;
}

void ShardTables::keep(const storage::ObjectAddress& shard, const storage::ObjectStat& stat,
                       const std::vector<SampleRow>& rows) {
  if (rows.empty() || has_failed_) {
    return;
  }
  const std::vector<storage::ObjectAddress> places = places_of(shard, stat);
  if (!places.empty()) {
    keep_at(places.front(), shard, stat, rows);
  }
}

std::optional<storage::ObjectAddress> ShardTables::place_of_part(const storage::ObjectAddress& shard,
                                                                 const storage::ObjectStat& stat) const {
  if (!parameters_ || stat.version.empty()) {
    return std::nullopt;
  }
  return scan_.place_of(shard.uri(), stat.version, kind_ + "-part");
}

std::vector<SampleRow> ShardTables::find_part(const storage::ObjectAddress& shard,
                                              const storage::ObjectStat& stat) const {
  const std::optional<storage::ObjectAddress> place = place_of_part(shard, stat);
  auto rows = place ? find_at(*place, shard, stat) : std::nullopt;
  return rows ? *std::move(rows) : std::vector<SampleRow>();
}

void ShardTables::keep_part(const storage::ObjectAddress& shard, const storage::ObjectStat& stat,
                            const std::vector<SampleRow>& rows) {
  const std::optional<storage::ObjectAddress> place = place_of_part(shard, stat);
  if (place && !has_failed_) {
    keep_at(*place, shard, stat, rows);
  }
}

void ShardTables::keep_at(const storage::ObjectAddress& place, const storage::ObjectAddress& shard,
                          const storage::ObjectStat& stat, const std::vector<SampleRow>& rows) {
  const Status status = write(place, shard, stat, rows);
  if (!status.ok() && !has_failed_.exchange(true)) {
    const MutexLock lock(mutex_);
    failure_ = status;
  }
}

Status ShardTables::write(const storage::ObjectAddress& place, const storage::ObjectAddress& shard,
                          const storage::ObjectStat& stat, const std::vector<SampleRow>& rows) const {
  SampleIndexBuilder builder(num_fields_);
  const uint32_t object = builder.add_object(shard.uri(), stat);
  for (SampleRow row : rows) {
    row.object = row.is_missing() ? kNoObject : object;
    builder.add_row(row);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<const SampleIndex> table, builder.finish(*parameters_));
  return table->write(place);
}

Status ShardTables::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

}  // namespace forebay::dataset
