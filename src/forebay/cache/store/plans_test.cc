// A cache follows the plans that its readers send, unless it is told otherwise.
#include <gtest/gtest.h>

#include <semaphore>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/hooked_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::ReadPlan;

constexpr int kObjects = 30;

class CachePlansTest : public ::testing::Test {
 protected:
  CachePlansTest() {
    for (int i = 0; i < kObjects; ++i) {
      const std::string content(10'000 + static_cast<size_t>(i), static_cast<char>('a' + i % 26));
      objects_.push_back(*write_now(*bucket_, fmt::format("k{}", i), as_bytes(content)));
    }
    upstream_->after_read = [this](const storage::ReadRequest&) { read_upstream_.release(); };
  }
  std::shared_ptr<ReadPlan> plan() const {
    return std::make_shared<ReadPlan>(
        0, kObjects, [objects = objects_](uint64_t position, std::vector<storage::PlannedRange>* ranges) {
          const storage::ObjectStat& stat = objects[position];
          ranges->push_back({stat.key, 0, stat.size_bytes, stat.version});
        });
  }
  CacheOptions options() {
    CacheOptions options;
    options.directories = {{.path = directory_ / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}};
    return options;
  }

  TemporaryDirectory directory_;
  std::counting_semaphore<> read_upstream_{0};
  std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> faults_ =
      std::make_shared<storage::FaultInjectingStore>(bucket_);
  std::shared_ptr<storage::HookedStore> upstream_ = std::make_shared<storage::HookedStore>(faults_);
  std::vector<storage::ObjectStat> objects_;
};

TEST_F(CachePlansTest, WhatAPlanNamesIsThereBeforeItIsAskedFor) {
  const std::shared_ptr<Cache> cache = *Cache::open(options());
  const std::shared_ptr<storage::ObjectStore> store = store_over(cache, upstream_);
  const std::shared_ptr<ReadPlan> followed = plan();
  store->advise(followed);
  for (int i = 0; i < kObjects; ++i) {
    read_upstream_.acquire();
  }
  faults_->fail_randomly(1, 1, unavailable("mem://: down"));
  for (const storage::ObjectStat& stat : objects_) {
    const Result<storage::ReadBytes> read =
        read_now(*store, {.key = stat.key, .length_bytes = stat.size_bytes, .if_version = stat.version});
    EXPECT_TRUE(read.ok()) << read.status();
  }
  EXPECT_EQ(faults_->read_count(), static_cast<uint64_t>(kObjects));
  followed->retract();
}

TEST_F(CachePlansTest, OneThatFollowsNoneFetchesNothing) {
  CacheOptions given = options();
  given.follows_plans = false;
  const std::shared_ptr<Cache> cache = *Cache::open(given);
  const std::shared_ptr<storage::ObjectStore> store = store_over(cache, upstream_);
  store->advise(plan());
  EXPECT_EQ(cache->options().plan_follower, nullptr);
  EXPECT_EQ(faults_->plans().size(), 1u);  // it went on to the upstream
}

}  // namespace
}  // namespace forebay::cache
