// A data set of one object an item, read in a new order each epoch.
#pragma once

#include <cstdint>
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

}  // namespace forebay::cache::testing
