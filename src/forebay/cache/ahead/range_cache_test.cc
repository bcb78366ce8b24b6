#include "forebay/cache/ahead/range_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/ahead/ahead_fetches.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {
namespace {

class RangeCacheTest : public ::testing::Test {
 protected:
  std::string put(const std::string& key, size_t bytes) {
    const std::string content(bytes, 'x');
    return storage::write_now(*upstream_, key, std::as_bytes(std::span(content)))->version;
  }
  bool holds(const storage::PlannedRange& range) { return dynamic_cast<RangeCache&>(*store_).holds(range); }
  void read(const storage::ReadRequest& request) {
    const Result<storage::ReadBytes> read = storage::read_now(*store_, request);
    EXPECT_TRUE(read.ok()) << read.status();
  }

  const std::shared_ptr<storage::MemoryStore> upstream_ = std::make_shared<storage::MemoryStore>();
  const std::shared_ptr<Cache> cache_ = *Cache::open({.memory_bytes = 16 << 20});
  const std::shared_ptr<storage::ObjectStore> store_ = store_over(cache_, upstream_);
};

TEST_F(RangeCacheTest, HoldsWhatWasReadInThatVersion) {
  const std::string version = put("k", 1000);
  EXPECT_FALSE(holds({"k", 0, 1000, version, true}));
  read({.key = "k", .if_version = version});
  EXPECT_TRUE(holds({"k", 0, 1000, version, true}));
  EXPECT_TRUE(holds({"k", 0, 1000, version}));
  EXPECT_TRUE(holds({"k", 0, 10, version}));
  EXPECT_FALSE(holds({"k", 0, 1000, "another"}));
  EXPECT_FALSE(holds({"k", 0, 1000, {}}));
  EXPECT_FALSE(holds({"l", 0, 1000, version}));
}

TEST_F(RangeCacheTest, HoldsTheSampleOfAShardButNotItsNeighbour) {
  const std::string version = put("shard", 4 << 20);
  read({.key = "shard", .offset_bytes = 5000, .length_bytes = 700, .if_version = version});
  EXPECT_TRUE(holds({"shard", 5000, 700, version}));
  EXPECT_FALSE(holds({"shard", 5700, 700, version}));
  EXPECT_FALSE(holds({"shard", 4000, 1001, version}));
}

TEST_F(RangeCacheTest, HoldsARangeOfSeveralChunks) {
  const std::string version = put("large", 4 << 20);
  ASSERT_TRUE(storage::stat_now(*store_, "large").ok());
  read({.key = "large", .offset_bytes = 1000, .length_bytes = 2 << 20, .if_version = version});
  EXPECT_TRUE(holds({"large", 1000, 2 << 20, version}));
  EXPECT_FALSE(holds({"large", 1000, 3 << 20, version}));
}

TEST_F(RangeCacheTest, HoldsWhatWasFetchedAheadOfAnySize) {
  const std::string version = put("shard", 8 << 20);
  const auto plan = std::make_shared<storage::ReadPlan>(
      0, 4, [version](uint64_t position, std::vector<storage::PlannedRange>* ranges) {
        const uint64_t sizes[] = {100, 1 << 20, (1 << 20) + 1, 3 << 20};
        ranges->push_back({"shard", 1000 + position * (1 << 20), sizes[position], version});
      });
  std::atomic<int> landed = 0;
  const auto fetches =
      std::make_shared<AheadFetches>(std::make_shared<Future>(), nullptr,
                                     FetchAheadOptions{.first_bytes = 64 << 20}, [&landed] { ++landed; });
  fetches->follow(store_, plan);
  for (int seen = -1; seen != landed;) {
    seen = landed;
    fetches->fetch();
  }
  for (const storage::PlannedRange& range : plan->ranges(0, 4)) {
    EXPECT_TRUE(holds(range)) << range.length_bytes;
  }
}

TEST_F(RangeCacheTest, WithoutAVersionItIsTheOneThatIsTrustedNow) {
  put("k", 1000);
  EXPECT_FALSE(holds({"k", 0, 1000, {}}));
  read({.key = "k"});
  EXPECT_TRUE(holds({"k", 0, 1000, {}}));
  EXPECT_TRUE(holds({"k", 0, 1000, {}, true}));
  EXPECT_FALSE(holds({"l", 0, 1000, {}}));
  dynamic_cast<CacheStore&>(*store_).note_changed("k", std::nullopt);
  EXPECT_FALSE(holds({"k", 0, 1000, {}}));
}

TEST_F(RangeCacheTest, ShowsTheRoomUnderAQuota) {
  const auto room_of = [&](const std::string& key) {
    return dynamic_cast<RangeCache&>(*store_).room_of({key, 0, 1000, "v"});
  };
  EXPECT_EQ(room_of("train/k"), nullptr);
  cache_->set_rules({{.prefix = upstream_->uri_of("train"), .quota_bytes = 64'000}}, {});
  EXPECT_EQ(room_of("k"), nullptr);
  const std::shared_ptr<const PlannedRoom> room = room_of("train/k");
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(room->free_bytes, 62'000u);
  put("train/k", 10'000);
  read({.key = "train/k"});
  EXPECT_EQ(room->free_bytes, 52'000u);
  EXPECT_EQ(room_of("train/l"), room);
}

TEST_F(RangeCacheTest, AskingIsNoUse) {
  const std::string version = put("k", 1000);
  read({.key = "k", .if_version = version});
  const CacheStatistics before = cache_->statistics();
  EXPECT_TRUE(holds({"k", 0, 1000, version}));
  EXPECT_FALSE(holds({"l", 0, 1000, version}));
  EXPECT_EQ(cache_->statistics().hits, before.hits);
  EXPECT_EQ(cache_->statistics().misses, before.misses);
}

}  // namespace
}  // namespace forebay::cache
