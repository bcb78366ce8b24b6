// The planned policy against the offline optimum, on shuffled epochs of one reader and of two.

#include "forebay/cache/policy/planned.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/cache/policy/lru.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/testing/offline_min.h"
#include "forebay/cache/testing/shuffled_items.h"

namespace forebay::cache {
namespace {

using storage::ReadPlan;
using testing::OfflineMin;
using testing::ShuffledItems;

ObjectId planned_id(const storage::PlannedObject& object) {
  return {mix64(hash64(object.key), 1), mix64(hash64(object.key), 2)};
}

std::vector<uint64_t> equal_sizes(size_t count) {
  return std::vector<uint64_t>(count, 100);
}

/// As those of photographs: spread over an order of magnitude.
std::vector<uint64_t> real_sizes(size_t count) {
  RandomStream random(7, 0);
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    sizes.push_back(static_cast<uint64_t>(std::exp(0.6 * random.normal()) * 100'000) + 1);
  }
  return sizes;
}

uint64_t sum(const std::vector<uint64_t>& sizes) {
  uint64_t all = 0;
  for (const uint64_t size : sizes) {
    all += size;
  }
  return all;
}

/// A cache without bytes around a policy.
class PlainCache {
 public:
  PlainCache(const PolicyFactory& policy, const std::vector<uint64_t>& sizes, uint64_t capacity_bytes)
      : policy_(policy(capacity_bytes)), sizes_(sizes), capacity_bytes_(capacity_bytes) {}

  void read(uint64_t item) {
    trace_.push_back(item);
    if (const auto found = slots_.find(item); found != slots_.end()) {
      policy_->used(found->second);
      return;
    }
    fetched_bytes_ += sizes_[item];
    const EntryFacts facts = {.key = {.object = planned_id({ShuffledItems::key_of(item), {}})},
                              .bytes = sizes_[item]};
    if (held_bytes_ + sizes_[item] > capacity_bytes_ && !policy_->admits(facts)) {
      return;
    }
    while (held_bytes_ + sizes_[item] > capacity_bytes_) {
      const EntrySlot victim = *policy_->take_victim();
      held_bytes_ -= sizes_[items_[victim]];
      slots_.erase(items_[victim]);
      free_.push_back(victim);
    }
    keep(item, facts);
  }

  bool has(uint64_t item) const { return slots_.contains(item); }
  uint64_t fetched_bytes() const { return fetched_bytes_; }
  const std::vector<uint64_t>& trace() const { return trace_; }

 private:
  void keep(uint64_t item, const EntryFacts& facts) {
    if (free_.empty()) {
      free_.push_back(static_cast<EntrySlot>(items_.size()));
      items_.push_back(0);
    }
    const EntrySlot slot = free_.back();
    free_.pop_back();
    items_[slot] = item;
    slots_[item] = slot;
    held_bytes_ += sizes_[item];
    policy_->inserted(slot, facts);
  }

  const std::unique_ptr<EvictionPolicy> policy_;
  const std::vector<uint64_t>& sizes_;
  const uint64_t capacity_bytes_;
  std::vector<uint64_t> trace_;
  std::map<uint64_t, EntrySlot> slots_;
  std::vector<uint64_t> items_;  // by slot
  std::vector<EntrySlot> free_;
  uint64_t held_bytes_ = 0;
  uint64_t fetched_bytes_ = 0;
};

/// A reader with its own order.
class Reader {
 public:
  Reader(const std::vector<uint64_t>& sizes, uint64_t seed, uint64_t window)
      : items_(std::make_shared<ShuffledItems>(sizes, seed)),
        plan_(std::make_shared<ReadPlan>(0, UINT64_MAX, items_, window)) {}

  /// Reads what its window has room for, as a loader does, then goes on by one.
  void step(PlainCache* cache) {
    for (; read_ < cursor_ + std::max<uint64_t>(1, plan_->reader_window()); ++read_) {
      cache->read(items_->item_at(read_));
    }
    plan_->advance(++cursor_);
  }

  const std::shared_ptr<ShuffledItems>& items() const { return items_; }
  const std::shared_ptr<ReadPlan>& plan() const { return plan_; }
  uint64_t cursor() const { return cursor_; }

 private:
  const std::shared_ptr<ShuffledItems> items_;
  const std::shared_ptr<ReadPlan> plan_;
  uint64_t cursor_ = 0;
  uint64_t read_ = 0;
};

class PlannedTest : public ::testing::Test {
 protected:
  void follow(const Reader& reader) {
    if (!objects_) {
      objects_ = std::make_shared<const ObjectTable>(*reader.items(), planned_id, [] { return true; });
    }
    future_->follow(reader.plan(), objects_);
  }
  PolicyFactory policy() const { return planned_policy(future_, room_); }

  const std::shared_ptr<Future> future_ = std::make_shared<Future>();
  const std::shared_ptr<PlannedRoom> room_ = std::make_shared<PlannedRoom>();
  std::shared_ptr<const ObjectTable> objects_;
};

class OneReader : public PlannedTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(PercentOfTheData, OneReader, ::testing::Values(10, 25, 50, 75));

TEST_P(OneReader, FetchesNoMoreThanTheOptimumAndFarLessThanLru) {
  const std::vector<uint64_t> sizes = equal_sizes(2000);
  const uint64_t capacity = sum(sizes) * static_cast<uint64_t>(GetParam()) / 100;
  Reader reader(sizes, 5, 32);
  follow(reader);
  PlainCache cache(policy(), sizes, capacity);
  PlainCache lru(lru_policy(), sizes, capacity);
  while (reader.cursor() < 3 * sizes.size()) {
    reader.step(&cache);
  }
  for (const uint64_t item : cache.trace()) {
    lru.read(item);
  }
  const uint64_t best = OfflineMin(cache.trace(), sizes, capacity).fetched_bytes();
  EXPECT_LE(static_cast<double>(cache.fetched_bytes()), 1.02 * static_cast<double>(best));
  EXPECT_LT(cache.fetched_bytes(), lru.fetched_bytes());
  RecordProperty("planned_ppm", static_cast<int>(cache.fetched_bytes() * 1000000 / best));
  RecordProperty("lru_permille", static_cast<int>(lru.fetched_bytes() * 1000 / best));
}

class TwoReaders : public PlannedTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(PercentOfTheData, TwoReaders, ::testing::Values(10, 25, 50, 75));

TEST_P(TwoReaders, OfRealSizesFetchLittleMoreThanMinOnTheirMergedTrace) {
  const std::vector<uint64_t> sizes = real_sizes(2000);
  const uint64_t capacity = sum(sizes) * static_cast<uint64_t>(GetParam()) / 100;
  Reader slow(sizes, 5, 32);
  Reader quick(sizes, 6, 64);
  follow(slow);
  follow(quick);
  PlainCache cache(policy(), sizes, capacity);
  RandomStream random(9, 0);
  while (quick.cursor() < 4 * sizes.size()) {  // the slow one makes a third of the progress
    (random.below(3) == 0 ? slow : quick).step(&cache);
  }
  const uint64_t best = OfflineMin(cache.trace(), sizes, capacity).fetched_bytes();
  EXPECT_LE(static_cast<double>(cache.fetched_bytes()), 1.10 * static_cast<double>(best));
  RecordProperty("planned_ppm", static_cast<int>(cache.fetched_bytes() * 1000000 / best));
}

TEST_F(PlannedTest, WhatWasCachedBeforeThePlanCameIsSortedInByIt) {
  const std::vector<uint64_t> sizes = equal_sizes(1000);
  Reader reader(sizes, 5, 1);
  PlainCache cache(policy(), sizes, 500 * 100);
  for (uint64_t item = 0; item < 500; ++item) {
    cache.read(item);
  }
  follow(reader);
  for (int i = 0; i < 200; ++i) {
    reader.step(&cache);
  }
  uint64_t hits = 0;
  const uint64_t fetched = cache.fetched_bytes();
  for (uint64_t k = 200; k < 400; ++k) {
    hits += cache.has(reader.items()->item_at(k));
  }
  // An old entry that is read soon has not gone: only what is read last has.
  EXPECT_GT(hits, 80u);
  EXPECT_LT(fetched, 720u * 100);
}

TEST_F(PlannedTest, ForgetsAPlanThatIsRetracted) {
  const std::vector<uint64_t> sizes = equal_sizes(100);
  std::optional<Reader> reader(std::in_place, sizes, 5, 1);
  follow(*reader);
  PlainCache cache(policy(), sizes, 50 * 100);
  for (int i = 0; i < 100; ++i) {
    reader->step(&cache);
  }
  const std::weak_ptr<const ShuffledItems> items = reader->items();
  reader->plan()->retract();
  reader.reset();
  for (int round = 0; round < 3; ++round) {
    for (uint64_t item = 0; item < 20; ++item) {
      cache.read(item);
    }
  }
  EXPECT_TRUE(items.expired());
  for (uint64_t item = 0; item < 20; ++item) {  // S3-FIFO keeps what is read often
    EXPECT_TRUE(cache.has(item)) << item;
  }
}

TEST_F(PlannedTest, WhatNoPlanCoversHasAnEighthOfTheCache) {
  std::vector<uint64_t> sizes = equal_sizes(2000);
  Reader reader(std::vector<uint64_t>(1000, 100), 5, 8);
  follow(reader);
  PlainCache cache(policy(), sizes, 400 * 100);
  for (int i = 0; i < 1500; ++i) {
    reader.step(&cache);
    cache.read(1000 + static_cast<uint64_t>(i) % 40);  // read over and over, and not in the plan
  }
  uint64_t unplanned = 0;
  for (uint64_t item = 1000; item < 2000; ++item) {
    unplanned += cache.has(item);
  }
  EXPECT_EQ(unplanned, 40u);
  for (int i = 0; i < 1000; ++i) {
    reader.step(&cache);
    cache.read(1000 + static_cast<uint64_t>(i));  // a scan beside the plan
  }
  unplanned = 0;
  for (uint64_t item = 1000; item < 2000; ++item) {
    unplanned += cache.has(item);
  }
  EXPECT_LE(unplanned, 51u);
}

TEST_F(PlannedTest, NothingForbidsToFetchWhereNoPlanCoversAnything) {
  const std::vector<uint64_t> sizes = equal_sizes(1000);
  PlainCache cache(policy(), sizes, 100 * 100);
  for (uint64_t item = 0; item < 300; ++item) {
    cache.read(item);
  }
  EXPECT_EQ(room_->last_read, kNoRead);
}

TEST_F(PlannedTest, ShowsWhatRoomThereIs) {
  const std::vector<uint64_t> sizes = equal_sizes(1000);
  Reader reader(sizes, 5, 1);
  follow(reader);
  PlainCache cache(policy(), sizes, 100 * 100);
  const uint64_t full_bytes = 100 * 100 - 100 * 100 / 32;
  EXPECT_EQ(room_->free_bytes, full_bytes);
  for (int i = 0; i < 60; ++i) {
    reader.step(&cache);
  }
  EXPECT_EQ(room_->free_bytes, full_bytes - 60 * 100);
  for (int i = 0; i < 200; ++i) {
    reader.step(&cache);
  }
  EXPECT_EQ(room_->free_bytes, 0u);
  EXPECT_GE(room_->last_read, future_->now());
  EXPECT_LT(room_->last_read, 2000);
}

}  // namespace
}  // namespace forebay::cache
