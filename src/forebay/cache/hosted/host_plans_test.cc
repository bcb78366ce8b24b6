#include "forebay/cache/hosted/host_plans.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache {
namespace {

using storage::PlannedItems;
using storage::PlannedRange;
using storage::ReadPlan;
using testing::SampledItems;

constexpr uint64_t kEndless = std::numeric_limits<uint64_t>::max();

class HostPlansTest : public ::testing::Test {
 protected:
  HostPlansTest() {
    for (uint64_t i = 0; i <= kItems; ++i) {
      const std::string text(kItemBytes, static_cast<char>('a' + i % 20));
      objects_.push_back(*storage::write_now(daemon_.upstream(), "item " + std::to_string(i),
                                             std::as_bytes(std::span(text))));
    }
  }

  /// What the daemon gave to its cache's store since it was last looked at. Its messages are taken by a
  /// thread of its own, so this waits.
  std::shared_ptr<ReadPlan> next_plan() {
    while (daemon_.upstream().plans().size() <= seen_plans_) {
      std::this_thread::yield();
    }
    return daemon_.upstream().plans()[seen_plans_++];
  }
  std::shared_ptr<ReadPlan> plan_of(std::shared_ptr<const PlannedItems> items, uint64_t begin = 0,
                                    uint64_t window = 0) const {
    return std::make_shared<ReadPlan>(begin, kEndless, std::move(items), window);
  }
  template <class Condition>
  static void wait_until(const Condition& condition) {
    while (!condition()) {
      std::this_thread::yield();
    }
  }
  CacheOptions small_memory(bool follows_plans) const {
    CacheOptions options;
    options.memory_bytes = kItems * kItemBytes / 4;
    options.fetch_ahead.in_flight_reads = 0;  // only what is asked for is fetched
    if (!follows_plans) {
      options.make_policy = lru_policy();
    }
    return options;
  }
  /// The bytes from upstream that three shuffled epochs cost two processes of different seeds.
  uint64_t upstream_bytes_of_epochs(bool follows_plans);

  static constexpr uint64_t kItems = 200;
  static constexpr uint64_t kItemBytes = 20'000;  // more than goes into a message

  const TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
  std::vector<storage::ObjectStat> objects_;  // the last one counts as one of another store
  size_t seen_plans_ = 0;
};

TEST_F(HostPlansTest, TheDaemonMakesTheSamePlan) {
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  const auto items = std::make_shared<SampledItems>(objects_, 7);
  const std::shared_ptr<ReadPlan> plan = plan_of(items, 5, 16);
  store->advise(plan);
  const std::shared_ptr<ReadPlan> made = next_plan();
  ASSERT_TRUE(made->items());
  EXPECT_EQ(made->cursor(), 5U);
  EXPECT_EQ(made->end(), kEndless);
  EXPECT_EQ(made->reader_window(), 16U);
  const PlannedItems& same = *made->items();
  ASSERT_EQ(same.num_items(), kItems + 1);
  ASSERT_EQ(same.num_objects(), kItems + 1);
  for (uint64_t k = 0; k < 3 * kItems; ++k) {
    ASSERT_EQ(same.item_at(k), items->item_at(k));
    std::vector<PlannedRange> ranges;
    same.ranges_of(same.item_at(k), &ranges);
    std::vector<PlannedRange> expected;
    items->ranges_of(items->item_at(k), &expected);
    ASSERT_EQ(ranges.size(), expected.size());
    if (!ranges.empty()) {
      EXPECT_EQ(ranges[0].key, expected[0].key);
      EXPECT_EQ(ranges[0].version, expected[0].version);
      EXPECT_EQ(ranges[0].length_bytes, kItemBytes);
      EXPECT_TRUE(ranges[0].is_to_end);
    }
    EXPECT_EQ(same.next_position(k % kItems, k, 1000), items->next_position(k % kItems, k, 1000));
  }
  EXPECT_EQ(same.object(3)->key, "item 3");
  EXPECT_FALSE(same.object(kItems));
  plan->retract();
}

TEST_F(HostPlansTest, ReadersOfOneDataSetSendItOnce) {
  std::vector<std::shared_ptr<HostStore>> processes;
  std::vector<std::shared_ptr<SampledItems>> items;
  std::vector<std::shared_ptr<ReadPlan>> plans;
  for (uint64_t rank = 0; rank < 8; ++rank) {
    processes.push_back(daemon_.new_store());
    items.push_back(std::make_shared<SampledItems>(objects_, rank));
    plans.push_back(plan_of(items.back()));
    processes.back()->advise(plans.back());
  }
  int times_listed = 0;
  uint64_t data_set = 0;
  for (uint64_t rank = 0; rank < 8; ++rank) {
    const std::shared_ptr<ReadPlan> made = next_plan();
    EXPECT_TRUE(data_set == 0 || made->items()->data_set() == data_set);
    data_set = made->items()->data_set();
    times_listed += items[rank]->times_listed();
  }
  // Each process looks at the first object once to name the data set; one has listed all of them.
  EXPECT_EQ(times_listed, 8 + 1);
  for (const std::shared_ptr<ReadPlan>& plan : plans) {
    plan->retract();
  }
}

TEST_F(HostPlansTest, TheNextProcessIsAskedForATableThatOneDidNotBring) {
  // The first one speaks as a process does, but never answers what it is asked.
  Result<FileDescriptor> silent = net::connect_locally(daemon_.socket());
  ASSERT_TRUE(silent.ok());
  const auto say = [&](const std::string& message) {
    ASSERT_TRUE(net::send_locally(silent->get(), std::as_bytes(std::span(message))).ok());
  };
  const auto hear = [&](HostMessage kind) {
    net::LocalMessage message;
    do {
      while (!*net::receive_locally(silent->get(), &message)) {
        std::this_thread::yield();
      }
    } while (decode_header(message.bytes)->kind != kind);
    return message;
  };
  const std::shared_ptr<HostStore> process = daemon_.new_store();
  const auto items = std::make_shared<SampledItems>(objects_, 1);
  // It names the same table as the other process will.
  const std::shared_ptr<ReadPlan> plan = plan_of(items);
  process->advise(plan);
  const std::shared_ptr<ReadPlan> first = next_plan();
  const uint64_t table = first->items()->data_set();
  const std::weak_ptr<const PlannedItems> made = first->items();
  plan->retract();
  wait_until([&] { return made.expired(); });  // and with it the table

  say(encode(Hello{}));
  const uint64_t network = decode<Hello>(hear(HostMessage::kHello).bytes)->network;
  say(encode(Hello{.network = network}));
  hear(HostMessage::kHello);
  say(encode(OpenStore{.store = 1}));
  say(encode(FollowPlan{.store = 1,
                        .uri = daemon_.upstream().uri_of("item 0"),
                        .table = table,
                        .end = 1000,
                        .order = items->description()},
             1));
  hear(HostMessage::kWantTable);
  const std::shared_ptr<ReadPlan> second = plan_of(items);
  process->advise(second);
  ASSERT_TRUE(storage::stat_now(*process, "item 1").ok());  // the daemon has heard of the second plan
  EXPECT_EQ(daemon_.upstream().plans().size(), seen_plans_);
  silent = FileDescriptor();
  EXPECT_EQ(next_plan()->items()->data_set(), table);
  second->retract();
}

TEST_F(HostPlansTest, TheCursorFollowsInStepsAndTheEndRetracts) {
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  const std::shared_ptr<ReadPlan> plan = plan_of(std::make_shared<SampledItems>(objects_, 7), 0, 64);
  store->advise(plan);
  const std::shared_ptr<ReadPlan> made = next_plan();
  plan->advance(7);  // less than an eighth of the window
  plan->advance(9);
  wait_until([&] { return made->cursor() > 0; });
  EXPECT_EQ(made->cursor(), 9U);
  plan->advance(100);
  wait_until([&] { return made->cursor() == 100; });
  plan->retract();
  wait_until([&] { return made->is_retracted(); });
  EXPECT_FALSE(made->items());
}

TEST_F(HostPlansTest, APlanEndsWithItsConnection) {
  std::shared_ptr<HostStore> store = daemon_.new_store();
  const std::shared_ptr<ReadPlan> plan = plan_of(std::make_shared<SampledItems>(objects_, 7));
  store->advise(plan);
  const std::shared_ptr<ReadPlan> made = next_plan();
  store.reset();
  wait_until([&] { return made->is_retracted(); });
  plan->advance(3);  // nobody hears of it
  plan->retract();
}

TEST_F(HostPlansTest, WithoutTheDaemonPlansGoUpstream) {
  const std::shared_ptr<HostClient> client = *HostClient::connect(daemon_.socket());
  const std::shared_ptr<HostStore> store = *HostStore::create(client, daemon_.upstream_store());
  daemon_.stop();
  wait_until([&] { return !client->is_usable(); });
  const std::shared_ptr<ReadPlan> plan = plan_of(std::make_shared<SampledItems>(objects_, 7));
  store->advise(plan);
  EXPECT_EQ(daemon_.upstream().plans().back(), plan);
}

TEST_F(HostPlansTest, SourcesWithoutAnIndexSendWindows) {
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  constexpr uint64_t kEnd = 5000;
  const auto plan = std::make_shared<ReadPlan>(
      0, kEnd,
      [this](uint64_t position, std::vector<PlannedRange>* ranges) {
        const storage::ObjectStat& object = objects_[position % kItems];
        if (position % 10 != 3) {  // which is in another store
          ranges->push_back({object.key, position % 7, 5, object.version});
        }
      },
      10);
  store->advise(plan);
  uint64_t position = 10;  // the reader itself has the first ones under way
  while (position < kEnd) {
    const std::shared_ptr<ReadPlan> window = next_plan();
    EXPECT_FALSE(window->items());
    ASSERT_EQ(window->cursor(), position);
    for (; position < window->end(); ++position) {
      const std::vector<PlannedRange> expected = plan->ranges(position, 1);
      const std::vector<PlannedRange> ranges = window->ranges(position, 1);
      ASSERT_EQ(ranges.size(), expected.size()) << position;
      if (!ranges.empty()) {
        EXPECT_EQ(ranges[0].key, expected[0].key);
        EXPECT_EQ(ranges[0].offset_bytes, position % 7);
        EXPECT_EQ(ranges[0].length_bytes, 5U);
      }
    }
    plan->advance(position - 10);
    wait_until([&] { return window->is_retracted(); });
  }
  EXPECT_EQ(position, kEnd);
  plan->retract();
}

TEST_F(HostPlansTest, WhatIsFetchedAheadNeedsNoReader) {
  const std::shared_ptr<HostStore> store = daemon_.new_store();
  const std::shared_ptr<ReadPlan> plan = plan_of(std::make_shared<SampledItems>(objects_, 7));
  store->advise(plan);
  wait_until([&] { return daemon_.cache().statistics().upstream_reads == kItems; });
  const CacheStatistics counts = daemon_.cache().statistics();
  EXPECT_EQ(counts.upstream_bytes, kItems * kItemBytes);
  EXPECT_EQ(counts.ahead_reads, kItems);
  EXPECT_EQ(counts.ahead_bytes, kItems * kItemBytes);
  EXPECT_EQ(counts.plans, 1U);
  for (uint64_t i = 0; i < kItems; ++i) {
    ASSERT_TRUE(storage::read_now(*store, {.key = objects_[i].key, .if_version = objects_[i].version}).ok());
  }
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, kItems);
  plan->retract();
  wait_until([&] { return daemon_.cache().statistics().plans == 0; });
}

uint64_t HostPlansTest::upstream_bytes_of_epochs(bool follows_plans) {
  daemon_.stop();
  daemon_.start(small_memory(follows_plans));
  std::vector<std::shared_ptr<HostStore>> processes;
  std::vector<std::shared_ptr<SampledItems>> items;
  std::vector<std::shared_ptr<ReadPlan>> plans;
  for (const uint64_t seed : {1, 2}) {
    processes.push_back(daemon_.new_store());
    items.push_back(std::make_shared<SampledItems>(objects_, seed));
    plans.push_back(plan_of(items.back()));
    processes.back()->advise(plans.back());
  }
  wait_until([&] { return !follows_plans || daemon_.cache().statistics().plans == 2; });
  for (uint64_t position = 0; position < 3 * (kItems + 1); ++position) {
    for (size_t process = 0; process < 2; ++process) {
      std::vector<PlannedRange> ranges;
      items[process]->ranges_of(items[process]->item_at(position), &ranges);
      for (const PlannedRange& range : ranges) {
        EXPECT_TRUE(
            storage::read_now(*processes[process], {.key = range.key, .if_version = range.version}).ok());
      }
      plans[process]->advance(position + 1);
    }
  }
  for (const std::shared_ptr<ReadPlan>& plan : plans) {
    plan->retract();
  }
  return daemon_.cache().statistics().upstream_bytes;
}

TEST_F(HostPlansTest, ACacheOfAQuarterOfTheDataFetchesLessThanLeastRecentlyUsedWould) {
  const uint64_t lru = upstream_bytes_of_epochs(false);
  const uint64_t planned = upstream_bytes_of_epochs(true);
  EXPECT_LT(planned, lru * 85 / 100) << planned << " of " << lru;
}

}  // namespace
}  // namespace forebay::cache
