// A data set of one object a sample, in another order than its samples are stored, that processes describe to
// their host's daemon.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/random/permutation.h"
#include "forebay/base/random/random.h"
#include "forebay/storage/described_items.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache::testing {

/// A new order each epoch, as the description's seed says.
class SampleShuffle final : public storage::ReadOrder {
 public:
  static Result<std::shared_ptr<const storage::ReadOrder>> make(const storage::PlanDescription& description,
                                                                const std::vector<uint64_t>& stored_shards) {
    if (description.shard_first && stored_shards != shards_of(description.num_items)) {
      return invalid_argument("the shards of other samples");
    }
    if (description.num_items == 0) {
      return invalid_argument("an order of nothing");
    }
    return std::make_shared<const SampleShuffle>(description.num_items, description.seed);
  }
  SampleShuffle(uint64_t samples, uint64_t seed) : samples_(samples), seed_(seed) {}

  /// In which the samples are stored.
  static std::vector<uint64_t> shards_of(uint64_t samples) { return {samples - 1, 0, 1}; }

  uint64_t sample_at(uint64_t position) const override {
    return epoch(position / samples_)(position % samples_);
  }
  uint64_t next_read(uint64_t sample, uint64_t from, uint64_t before) const override {
    for (uint64_t e = from / samples_; e * samples_ < before; ++e) {
      const uint64_t position = e * samples_ + epoch(e).inverse(sample);
      if (position >= from) {
        return position < before ? position : storage::kNeverRead;
      }
    }
    return storage::kNeverRead;
  }

 private:
  Permutation epoch(uint64_t number) const { return {random_key(seed_, number, 1), samples_}; }

  const uint64_t samples_;
  const uint64_t seed_;
};

/// The objects of a store, by their stats: item i is the i-th, and of the samples the one with kShift more.
class SampledItems final : public storage::DescribedItems {
 public:
  /// The last object counts as one of another store.
  SampledItems(std::vector<storage::ObjectStat> objects, uint64_t seed, uint64_t data_set = 5)
      : objects_(std::move(objects)), order_(objects_.size(), seed), seed_(seed), data_set_(data_set) {}

  static constexpr uint64_t kShift = 3;

  storage::PlanDescription description() const override {
    return {.data_set = data_set_, .num_items = num_items(), .seed = seed_, .shard_first = true};
  }
  uint64_t data_set() const override { return data_set_; }
  uint64_t num_items() const override { return objects_.size(); }
  uint64_t sample_of(uint64_t item) const override { return (item + kShift) % objects_.size(); }
  std::vector<uint64_t> stored_shards() const override { return SampleShuffle::shards_of(num_items()); }
  uint64_t item_of(uint64_t sample) const { return (sample + objects_.size() - kShift) % objects_.size(); }
  uint64_t item_at(uint64_t position) const override { return item_of(order_.sample_at(position)); }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override {
    return order_.next_read(sample_of(item), from, before);
  }
  void ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const override {
    const storage::ObjectStat& object = objects_[item];
    if (item + 1 < objects_.size()) {
      ranges->push_back({object.key, 0, object.size_bytes, object.version, true});
    }
  }
  uint64_t num_objects() const override { return objects_.size(); }
  std::optional<storage::PlannedObject> object(uint64_t number) const override {
    times_listed_ += number == 0 ? 1 : 0;
    if (number + 1 == objects_.size()) {
      return std::nullopt;
    }
    return storage::PlannedObject{objects_[number].key, objects_[number].version};
  }
  storage::ItemRun items_in(uint64_t object, uint64_t, uint64_t) const override { return {object, 1}; }

  /// How often the first object was asked for.
  int times_listed() const { return times_listed_; }

 private:
  const std::vector<storage::ObjectStat> objects_;
  const SampleShuffle order_;
  const uint64_t seed_;
  const uint64_t data_set_;
  mutable std::atomic<int> times_listed_{0};
};

}  // namespace forebay::cache::testing
