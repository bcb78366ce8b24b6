#include "forebay/cache/ahead/ahead_fetches.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/cache/ahead/range_cache.h"
#include "forebay/cache/testing/shuffled_items.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {
namespace {

using storage::FaultInjectingStore;
using storage::ReadPlan;
using testing::ShuffledItems;

constexpr uint64_t kItems = 1000;
constexpr uint64_t kItemBytes = 100;

/// Keeps all that was read through it, while it keeps; for what fetches ahead it is a cache without a limit.
class KeepingStore final : public storage::ForwardingStore, public RangeCache {
 public:
  explicit KeepingStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    request.if_version.clear();  // those of the plans are made up
    ForwardingStore::read(request, context,
                          [this, key = request.key, done = std::move(done)](auto read) mutable {
                            if (read.ok() && keeps) {
                              const MutexLock lock(mutex_);
                              held_.insert(key);
                            }
                            done(std::move(read));
                          });
  }
  bool holds(const storage::PlannedRange& range) override {
    const MutexLock lock(mutex_);
    return held_.contains(range.key);
  }
  std::shared_ptr<const PlannedRoom> room_of(const storage::PlannedRange&) override { return quota; }
  Demand demand() const override { return {.in_flight_bytes = demanded_bytes}; }

  std::atomic<bool> keeps = true;
  std::shared_ptr<const PlannedRoom> quota;
  uint64_t demanded_bytes = 0;

 private:
  Mutex mutex_;
  std::set<std::string> held_ FOREBAY_GUARDED_BY(mutex_);
};

class AheadFetchesTest : public ::testing::Test {
 protected:
  AheadFetchesTest() {
    for (uint64_t item = 0; item < kItems; ++item) {
      const std::string content(kItemBytes, 'x');
      EXPECT_TRUE(
          storage::write_now(*upstream_, ShuffledItems::key_of(item), std::as_bytes(std::span(content)))
              .ok());
    }
    room_->free_bytes = 0;
    room_->capacity_bytes = 100 * kItems * kItemBytes;
    options_ = {.ahead_bytes = 10 * kItemBytes,
                .in_flight_bytes = 1000 * kItemBytes,
                .little_reads = 1000,
                .in_flight_reads = 1000,
                .clock = &clock_};
  }

  ~AheadFetchesTest() override { upstream_->release_reads(); }

  void make() {
    fetches_ = std::make_shared<AheadFetches>(future_, room_, options_, [this] { ++changes_; });
  }
  std::shared_ptr<ReadPlan> follow(uint64_t window, uint64_t seed = 3) {
    auto plan = std::make_shared<ReadPlan>(
        0, UINT64_MAX,
        std::make_shared<ShuffledItems>(std::vector<uint64_t>(kItems, kItemBytes), seed, version_), window);
    const auto id_of = [](const storage::PlannedObject& object) {
      return object_id(object.key, object.version);
    };
    future_->follow(plan, std::make_shared<const ObjectTable>(*plan->items(), id_of, [] { return true; }));
    fetches_->follow(store_, plan);
    return plan;
  }
  /// As a thread does, which is asked to come back at once while there are many positions to look at.
  void fetch_all() {
    while (fetches_->fetch() == 0) {
    }
  }
  /// The positions of what was read since the last call, in the order of the reads.
  std::vector<uint64_t> positions(const ReadPlan& plan) {
    std::vector<uint64_t> found;
    for (const FaultInjectingStore::ReadRecord& read : upstream_->reads()) {
      for (uint64_t k = 0; k < kItems; ++k) {
        if (ShuffledItems::key_of(plan.items()->item_at(k)) == read.key) {
          found.push_back(k);
        }
      }
    }
    upstream_->forget_reads();
    return found;
  }
  static std::vector<uint64_t> from_to(uint64_t first, uint64_t end) {
    std::vector<uint64_t> all;
    for (uint64_t k = first; k < end; ++k) {
      all.push_back(k);
    }
    return all;
  }

  SteppedClock clock_;
  std::shared_ptr<FaultInjectingStore> upstream_ =
      std::make_shared<FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  std::shared_ptr<KeepingStore> store_ = std::make_shared<KeepingStore>(upstream_);
  std::shared_ptr<KeepingStore> other_store_ = std::make_shared<KeepingStore>(upstream_);
  std::shared_ptr<Future> future_ = std::make_shared<Future>();
  std::shared_ptr<PlannedRoom> room_ = std::make_shared<PlannedRoom>();
  FetchAheadOptions options_;
  std::string version_;  // of all items
  std::shared_ptr<AheadFetches> fetches_;
  int changes_ = 0;
};

TEST_F(AheadFetchesTest, FetchesWhatIsBehindTheReadersWindowInItsOrder) {
  make();
  const std::shared_ptr<ReadPlan> plan = follow(5);
  EXPECT_EQ(fetches_->fetch(), std::nullopt);
  const auto first = upstream_->reads();
  EXPECT_EQ(first.at(0).context.priority, storage::Priority::kPrefetch);
  EXPECT_EQ(first.at(0).context.who->name, "fetch ahead");
  EXPECT_EQ(positions(*plan), from_to(5, 15));
  fetches_->fetch();
  EXPECT_TRUE(upstream_->reads().empty());  // the reader used nothing yet
  plan->advance(3);
  fetches_->fetch();
  EXPECT_EQ(positions(*plan), from_to(15, 18));
  plan->advance(100);  // far beyond what was fetched
  fetches_->fetch();
  EXPECT_EQ(positions(*plan), from_to(105, 115));
  EXPECT_GT(changes_, 0);
}

TEST_F(AheadFetchesTest, FetchesNothingTwice) {
  make();
  const std::shared_ptr<ReadPlan> plan = follow(0);
  const std::shared_ptr<ReadPlan> same = follow(0);
  for (uint64_t k = 0; k < 2 * kItems; k += 7) {
    plan->advance(k);
    same->advance(k / 2);
    fetches_->fetch();
  }
  std::map<std::string, int> reads;
  for (const FaultInjectingStore::ReadRecord& read : upstream_->reads()) {
    EXPECT_EQ(++reads[read.key], 1) << read.key;
  }
  EXPECT_GT(reads.size(), 900u);
}

TEST_F(AheadFetchesTest, WhatIsNotKeptIsTriedAgainAfterAWhileOnly) {
  version_ = "1";
  options_.in_flight_reads = 1;
  options_.ahead_bytes = kItems * kItemBytes;
  make();
  store_->keeps = false;
  const std::shared_ptr<ReadPlan> plan = follow(0);
  int64_t rest_ns = kSecond;
  for (uint64_t tried = 0; tried < 8; ++tried) {
    fetches_->fetch();
    EXPECT_EQ(positions(*plan), from_to(tried, tried + 1));
    EXPECT_EQ(fetches_->fetch(), rest_ns);
    EXPECT_TRUE(upstream_->reads().empty()) << "it rests";
    clock_.advance_ns(rest_ns);
    rest_ns = std::min(2 * rest_ns, 60 * kSecond);
  }
  store_->keeps = true;
  for (uint64_t k = 8; k < kItems; ++k) {
    fetches_->fetch();
  }
  EXPECT_EQ(positions(*plan), from_to(8, kItems));
}

TEST_F(AheadFetchesTest, FillsFreeSpaceUpToAnEpochAhead) {
  room_->free_bytes = 300 * kItemBytes;
  make();
  const std::shared_ptr<ReadPlan> plan = follow(4);
  upstream_->hold_reads();
  fetch_all();
  EXPECT_EQ(positions(*plan), from_to(4, 304));
  EXPECT_EQ(fetches_->in_flight_bytes(), 300 * kItemBytes);
  room_->free_bytes = kItems * 10 * kItemBytes;
  upstream_->release_reads();
  EXPECT_EQ(fetches_->in_flight_bytes(), 0u);
  plan->advance(1);
  fetch_all();
  // The rest of the epoch; what the next one begins with is on its way already, or was read by the reader.
  std::vector<uint64_t> rest = positions(*plan);
  EXPECT_EQ(std::set<uint64_t>(rest.begin(), rest.end()).size(), rest.size());
  rest.resize(kItems - 304);
  EXPECT_EQ(rest, from_to(304, kItems));
}

TEST_F(AheadFetchesTest, FetchesASixteenthOfTheCacheAheadAtMost) {
  room_->capacity_bytes = 16 * 4 * kItemBytes;
  make();
  const std::shared_ptr<ReadPlan> plan = follow(5);
  fetches_->fetch();
  EXPECT_EQ(positions(*plan), from_to(5, 9));
}

TEST_F(AheadFetchesTest, TakesThePlaceOfNothingThatIsReadSooner) {
  room_->last_read = 8;
  make();
  const std::shared_ptr<ReadPlan> plan = follow(2);
  fetches_->fetch();
  EXPECT_EQ(positions(*plan), from_to(2, 8));
}

// A folder's quota is a cache of its own.
TEST_F(AheadFetchesTest, TakesThePlaceOfNothingThatIsReadSoonerUnderAQuota) {
  room_->free_bytes = kItems * 10 * kItemBytes;
  make();
  const auto quota = std::make_shared<PlannedRoom>();
  quota->free_bytes = 3 * kItemBytes;
  quota->capacity_bytes = 100 * kItems * kItemBytes;
  quota->last_read = 8;
  store_->quota = quota;
  const std::shared_ptr<ReadPlan> plan = follow(2);
  upstream_->hold_reads();
  fetches_->fetch();
  EXPECT_EQ(positions(*plan), from_to(2, 8));
  quota->last_read = 0;
  quota->free_bytes = 10 * kItemBytes;
  plan->advance(1);
  fetch_all();
  EXPECT_EQ(positions(*plan), from_to(8, 12));
  upstream_->release_reads();
}

TEST_F(AheadFetchesTest, HasABoundedAmountOnItsWay) {
  options_.in_flight_bytes = 350;
  options_.ahead_bytes = 1000 * kItemBytes;
  make();
  const std::shared_ptr<ReadPlan> plan = follow(0);
  upstream_->hold_reads();
  fetches_->fetch();
  EXPECT_EQ(upstream_->held_reads(), 3u);
  EXPECT_TRUE(upstream_->step());
  fetches_->fetch();
  EXPECT_EQ(upstream_->held_reads(), 3u);
  options_.in_flight_bytes = 10;  // an item that is larger goes alone
  make();
  const std::shared_ptr<ReadPlan> other = follow(0, 8);
  fetches_->fetch();
  EXPECT_EQ(upstream_->held_reads(), 4u);
}

// It must not delay the reader's first batch, which is on its way.
TEST_F(AheadFetchesTest, BeginsWithLittleAndDoublesIt) {
  options_.first_bytes = 2 * kItemBytes;
  options_.in_flight_bytes = 7 * kItemBytes;
  options_.ahead_bytes = 1000 * kItemBytes;
  make();
  const std::shared_ptr<ReadPlan> plan = follow(5);
  upstream_->hold_reads();
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 2u);
  EXPECT_TRUE(upstream_->step());
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(upstream_->step());
  }
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(upstream_->step());
  }
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 7u);  // no more than that, ever
  const std::vector<uint64_t> seen = positions(*plan);
  EXPECT_EQ(seen, from_to(5, 5 + seen.size()));
}

// What waits for a link is not in the way of a plan over another.
TEST_F(AheadFetchesTest, PlansOfAStoreShareWhatItsLinkBears) {
  options_.in_flight_reads = 100;
  options_.little_reads = 8;
  options_.ahead_bytes = 1000 * kItemBytes;
  make();
  const std::shared_ptr<ReadPlan> one = follow(0, 3);
  const std::shared_ptr<ReadPlan> two = follow(0, 8);
  upstream_->hold_reads();
  const auto land_next = [this] {
    clock_.advance_ns(10'000'000);
    EXPECT_TRUE(upstream_->step());
    fetch_all();
  };
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 8u) << "nothing is known of it";
  for (int i = 0; i < 200; ++i) {
    land_next();
  }
  for (int i = 0; i < 100; ++i) {
    land_next();
    ASSERT_LE(upstream_->held_reads(), 40u) << "a few tenths of a second of the link";
    ASSERT_GE(upstream_->held_reads(), 7u) << "too few to fill it";
  }
  store_->demanded_bytes = 1000 * kItemBytes;
  while (upstream_->held_reads() > 1) {
    land_next();
  }
  land_next();
  EXPECT_EQ(upstream_->held_reads(), 1u) << "the readers have the link";
  store_.swap(other_store_);
  const std::shared_ptr<ReadPlan> elsewhere = follow(0, 9);
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 1u + 8u);
}

// Small reads of a plan that is less urgent do not fill every gap before the large one fits in.
TEST_F(AheadFetchesTest, NobodyOvertakesWhatTheLinkHasNoRoomFor) {
  options_.little_reads = 2;
  make();
  upstream_->hold_reads();
  const std::shared_ptr<ReadPlan> small = follow(0);
  fetch_all();
  EXPECT_EQ(upstream_->held_reads(), 2u);
  const auto large = std::make_shared<ReadPlan>(
      0, 1,
      [](uint64_t, std::vector<storage::PlannedRange>* ranges) {
        ranges->push_back({ShuffledItems::key_of(0), 0, uint64_t{1} << 20, {}});
      },
      0);
  fetches_->follow(store_, large);
  for (int i = 0; i < 3; ++i) {
    fetch_all();
    EXPECT_TRUE(upstream_->step());
  }
  EXPECT_EQ(upstream_->reads().size(), 3u);
  EXPECT_EQ(upstream_->held_reads(), 0u);
}

TEST_F(AheadFetchesTest, AReadThatStandsStillDoesNotStopTheOthers) {
  options_.little_reads = 2;
  options_.ahead_bytes = 1000 * kItemBytes;
  make();
  upstream_->hold_reads();
  const std::shared_ptr<ReadPlan> plan = follow(0);
  uint64_t under_way = 0;
  for (int second = 0; second < 20; ++second) {
    const std::optional<int64_t> again_ns = fetches_->fetch();
    ASSERT_TRUE(again_ns.has_value());
    ASSERT_LE(*again_ns, 1'000'000'000);
    clock_.advance_ns(*again_ns);
    under_way = upstream_->held_reads();
  }
  EXPECT_GT(under_way, 4u);
}

// The reader's last news: there is none after it that could wake what waits.
TEST_F(AheadFetchesTest, TheReaderMayGoOnWhileItIsLookedAt) {
  options_.ahead_bytes = 3 * kItemBytes;
  make();
  ReadPlan* reader = nullptr;
  const auto plan = std::make_shared<ReadPlan>(
      0, kItems,
      [&reader](uint64_t position, std::vector<storage::PlannedRange>* ranges) {
        ranges->push_back({ShuffledItems::key_of(position), 0, kItemBytes, {}});
        if (position == 3) {
          reader->advance(30);
        }
      },
      0);
  reader = plan.get();
  fetches_->follow(store_, plan);
  fetch_all();  // finds no room for position 3, as of where the reader was
  fetch_all();
  ASSERT_FALSE(upstream_->reads().empty());
  EXPECT_EQ(upstream_->reads().back().key, ShuffledItems::key_of(32));
}

TEST_F(AheadFetchesTest, KeepsToItsRate) {
  options_.bytes_per_second = 10 * kItemBytes;
  options_.ahead_bytes = 1000 * kItemBytes;
  make();
  clock_.advance_ns(1'000'000'000);
  const std::shared_ptr<ReadPlan> plan = follow(0);
  size_t reads = 0;
  for (int i = 0; i < 100; ++i) {
    const std::optional<int64_t> again_ns = fetches_->fetch();
    ASSERT_TRUE(again_ns.has_value());
    EXPECT_GT(*again_ns, 0);
    reads = upstream_->reads().size();
    clock_.advance_ns(50'000'000);
  }
  EXPECT_NEAR(static_cast<double>(reads), 50, 2);  // in five seconds
}

TEST_F(AheadFetchesTest, TheMoreUrgentPlanGoesFirst) {
  options_.in_flight_reads = 40;
  options_.ahead_bytes = 1000 * kItemBytes;
  make();
  const std::shared_ptr<ReadPlan> slow = follow(0, 1);
  const std::shared_ptr<ReadPlan> quick = follow(0, 2);
  for (uint64_t k = 1; k <= 400; ++k) {
    slow->advance(k);
    quick->advance(3 * k);
    future_->now();
  }
  upstream_->hold_reads();
  fetches_->fetch();
  uint64_t of_quick = 0;
  const auto reads = upstream_->reads();
  ASSERT_EQ(reads.size(), 40u);
  std::set<std::string> soon;
  for (uint64_t k = 1200; k < 1230; ++k) {
    soon.insert(ShuffledItems::key_of(quick->items()->item_at(k)));
  }
  for (const FaultInjectingStore::ReadRecord& read : reads) {
    of_quick += soon.contains(read.key);
  }
  EXPECT_NEAR(static_cast<double>(of_quick), 30, 2);  // three of four, as it reads three times as fast
}

TEST_F(AheadFetchesTest, StopsWhenThePlanIsRetracted) {
  make();
  const std::shared_ptr<ReadPlan> plan = follow(0);
  upstream_->hold_reads();
  fetches_->fetch();
  EXPECT_EQ(upstream_->held_reads(), 10u);
  const std::stop_token cancellation = upstream_->reads().at(0).context.cancellation;
  plan->retract();
  fetches_->fetch();
  EXPECT_TRUE(cancellation.stop_requested());
  upstream_->release_reads();
  EXPECT_EQ(fetches_->in_flight_bytes(), 0u);
  fetches_->fetch();
  EXPECT_EQ(upstream_->read_count(), 10u);
}

TEST_F(AheadFetchesTest, AFailingStoreIsNotAskedAgainBeforeTheReaderHasGoneOn) {
  upstream_->fail_randomly(1, 1, unavailable("down"));
  options_.in_flight_reads = 1;
  make();
  const std::shared_ptr<ReadPlan> plan = follow(0);
  for (int i = 0; i < 20; ++i) {
    fetches_->fetch();
  }
  EXPECT_EQ(upstream_->reads().size(), 1u);
  plan->advance(1);
  fetches_->fetch();
  EXPECT_EQ(upstream_->reads().size(), 2u);
}

TEST_F(AheadFetchesTest, AStoreThatIsGoneIsNotMissed) {
  make();
  const std::shared_ptr<ReadPlan> plan = follow(0);
  store_.reset();
  EXPECT_EQ(fetches_->fetch(), std::nullopt);
  fetches_->stop();
  fetches_->fetch();
}

}  // namespace
}  // namespace forebay::cache
