// A data set that is read in a new order each epoch: of one object an item, or in shards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/random/permutation.h"
#include "forebay/base/random/random.h"
#include "forebay/storage/planned_items.h"

namespace forebay::cache::testing {

class ShuffledItems final : public storage::PlannedItems {
 public:
  ShuffledItems(std::vector<uint64_t> sizes, uint64_t seed, std::string version = "1")
      : sizes_(std::move(sizes)), seed_(seed), version_(std::move(version)) {}

  static std::string key_of(uint64_t item) { return "item" + std::to_string(item); }

  storage::PlanDescription description() const override {
    return {.data_set = data_set(), .num_items = num_items(), .seed = seed_, .random_shuffle = true};
  }
  uint64_t data_set() const override { return 1; }
  uint64_t num_items() const override { return sizes_.size(); }
  uint64_t item_at(uint64_t position) const override {
    return order(position / num_items())(position % num_items());
  }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override {
    for (uint64_t epoch = from / num_items(); epoch * num_items() < before; ++epoch) {
      const uint64_t position = epoch * num_items() + order(epoch).inverse(item);
      if (position >= from) {
        return position < before ? position : storage::kNeverRead;
      }
    }
    return storage::kNeverRead;
  }
  void ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const override {
    ranges->push_back({key_of(item), 0, sizes_[item], version_});
  }
  uint64_t num_objects() const override { return num_items(); }
  std::optional<storage::PlannedObject> object(uint64_t number) const override {
    return storage::PlannedObject{key_of(number), version_};
  }
  storage::ItemRun items_in(uint64_t object, uint64_t, uint64_t) const override { return {object, 1}; }

 private:
  Permutation order(uint64_t epoch) const { return {random_key(seed_, epoch, 1), num_items()}; }

  const std::vector<uint64_t> sizes_;
  const uint64_t seed_;
  const std::string version_;  // of all objects; empty: whatever is there
};

/// Items of 100 bytes, behind each other in shards of `items_each`.
class ShardedItems final : public storage::PlannedItems {
 public:
  static constexpr uint64_t kItemBytes = 100;

  ShardedItems(uint64_t num_items, uint64_t items_each, uint64_t seed)
      : order_(std::vector<uint64_t>(num_items, kItemBytes), seed), items_each_(items_each) {}

  storage::PlanDescription description() const override { return order_.description(); }
  uint64_t data_set() const override { return 2; }
  uint64_t num_items() const override { return order_.num_items(); }
  uint64_t item_at(uint64_t position) const override { return order_.item_at(position); }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override {
    return order_.next_position(item, from, before);
  }
  void ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const override {
    ranges->push_back({object(item / items_each_)->key, item % items_each_ * kItemBytes, kItemBytes, "1"});
  }
  uint64_t num_objects() const override { return num_items() / items_each_; }
  std::optional<storage::PlannedObject> object(uint64_t number) const override {
    return storage::PlannedObject{"shard" + std::to_string(number), "1"};
  }
  storage::ItemRun items_in(uint64_t object, uint64_t offset_bytes, uint64_t length_bytes) const override {
    const uint64_t first = offset_bytes / kItemBytes;
    const uint64_t end = std::min(items_each_, (offset_bytes + length_bytes + kItemBytes - 1) / kItemBytes);
    return {object * items_each_ + first, end - first};
  }

 private:
  const ShuffledItems order_;
  const uint64_t items_each_;
};

}  // namespace forebay::cache::testing
