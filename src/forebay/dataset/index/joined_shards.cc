#include "forebay/dataset/index/joined_shards.h"

#include <fmt/format.h>

#include "forebay/base/log/log.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {

SampleRow lost_row(uint32_t object, uint64_t lost_at) {
  SampleRow row;
  row.object = object;
  row.flags = kLostRow;
  row.offset_bytes = lost_at;
  return row;
}

void JoinedShards::add(const std::string& path, const storage::ObjectStat& stat, ShardRows found) {
  const auto [place, is_new] = objects_.try_emplace(path, 0);
  if (is_new) {
    place->second = builder_.add_object(path, stat);
  }
  for (SampleRow& row : found.rows) {
    row.object = row.is_missing() ? kNoObject : place->second;
    builder_.add_row(row);
  }
  has_samples_ |= !found.rows.empty();
  if (found.lost_at) {
    add_lost(path, place->second, found);
  }
  builder_.end_shard();
}

void JoinedShards::add_lost(const std::string& path, uint32_t object, const ShardRows& found) {
  for (int field = 0; field < num_fields_; ++field) {
    builder_.add_row(lost_row(object, *found.lost_at));
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

Result<std::shared_ptr<const SampleIndex>> JoinedShards::finish(uint64_t parameters,
                                                                const std::string& first_path) {
  if (!has_samples_ && !damage_.ok()) {
    return damage_;
  }
  if (builder_.num_samples() == 0) {
    return no_samples(storage::uri_for_message(first_path));
  }
  for (const std::string& warning : warnings_) {
    log_warning("{}", warning);
  }
  return builder_.finish(parameters);
}

}  // namespace forebay::dataset
