#include "forebay/cache/policy/future.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/cache/testing/shuffled_items.h"

namespace forebay::cache {
namespace {

using storage::ReadPlan;
using testing::ShuffledItems;

ObjectId id_of(const storage::PlannedObject& object) {
  return object_id(object.key, object.version);
}

class FutureTest : public ::testing::Test {
 protected:
  std::shared_ptr<ReadPlan> follow(uint64_t seed, uint64_t window) {
    auto plan = std::make_shared<ReadPlan>(
        0, UINT64_MAX, std::make_shared<ShuffledItems>(std::vector<uint64_t>(1000, 100), seed), window);
    if (!objects_) {
      objects_ = std::make_shared<const ObjectTable>(*plan->items(), id_of, [] { return true; });
    }
    future_.follow(plan, objects_);
    return plan;
  }

  EntryPlace place_of(uint64_t item) const { return {id_of({ShuffledItems::key_of(item), "1"}).low, 0, 100}; }

  Future future_;
  std::shared_ptr<const ObjectTable> objects_;
};

TEST_F(FutureTest, TellsWhenAnItemIsReadNext) {
  const std::shared_ptr<ReadPlan> plan = follow(1, 20);
  plan->advance(300);
  for (uint64_t k = 320; k < 340; ++k) {
    const uint64_t item = plan->items()->item_at(k);
    EXPECT_EQ(future_.next_read(place_of(item), 300), static_cast<double>(k));
  }
  EXPECT_EQ(future_.next_read(place_of(5000), 300), std::nullopt);
}

TEST_F(FutureTest, APositionInTheWindowIsReadOnceItsItemWasUsed) {
  const std::shared_ptr<ReadPlan> plan = follow(1, 20);
  plan->advance(300);
  const EntryPlace entry = place_of(plan->items()->item_at(310));  // in the window since the time 290
  EXPECT_EQ(future_.next_read(entry, 200), 310);
  EXPECT_GE(future_.next_read(entry, 291), 1000);
  EXPECT_GE(future_.next_read(entry, 300), 1000);
}

TEST_F(FutureTest, OfTwoReadersTheNearerReadCounts) {
  const std::shared_ptr<ReadPlan> one = follow(1, 1);
  const std::shared_ptr<ReadPlan> two = follow(2, 1);
  for (uint64_t item = 0; item < 1000; ++item) {
    const uint64_t next = std::min(one->items()->next_position(item, 1, UINT64_MAX),
                                   two->items()->next_position(item, 1, UINT64_MAX));
    EXPECT_DOUBLE_EQ(*future_.next_read(place_of(item), future_.now()), 2 * static_cast<double>(next));
  }
}

TEST(FutureOfShards, IsThatOfTheItemWhichIsReadFirst) {
  const auto items = std::make_shared<const testing::ShardedItems>(10'000, 500, 1);
  const auto plan = std::make_shared<ReadPlan>(0, UINT64_MAX, items, 10);
  Future future;
  future.follow(plan, std::make_shared<const ObjectTable>(*items, id_of, [] { return true; }));
  plan->advance(2000);
  const uint64_t shard = id_of({"shard7", "1"}).low;
  double first = kNoRead;
  for (uint64_t item = 7 * 500 + 20; item < 7 * 500 + 30; ++item) {
    first = std::min(first, static_cast<double>(items->next_position(item, 2010, UINT64_MAX)));
  }
  EXPECT_EQ(future.next_read({shard, 2000, 1000}, 2000), first);
  EXPECT_EQ(future.next_read({shard, 2050, 900}, 2000), first);  // parts of the outer two
  // Of many items a few are looked at: an estimate, near enough for what is read every few positions.
  const double whole = *future.next_read({shard, 0, 50'000}, 2000);
  EXPECT_GE(whole, 2010);
  EXPECT_LE(whole, first);
}

TEST_F(FutureTest, PutsReadersOnOneTimeByTheirSpeed) {
  const std::shared_ptr<ReadPlan> slow = follow(1, 1);
  const std::shared_ptr<ReadPlan> quick = follow(2, 1);
  EXPECT_DOUBLE_EQ(future_.time_of(slow->id(), 10), future_.time_of(quick->id(), 10));
  for (uint64_t k = 1; k <= 400; ++k) {
    slow->advance(k);
    quick->advance(3 * k);
    future_.now();
  }
  EXPECT_EQ(future_.now(), 1600);
  EXPECT_NEAR(future_.time_of(slow->id(), 410) - 1600, 40, 2);
  EXPECT_NEAR(future_.time_of(quick->id(), 1210) - 1600, 13.3, 1);
  slow->retract();
  EXPECT_NEAR(future_.time_of(quick->id(), 1210) - 1600, 10, 0.1);
  EXPECT_EQ(future_.time_of(slow->id(), 410), kNoRead);
}

TEST_F(FutureTest, ForgetsWhatIsRetracted) {
  const std::shared_ptr<ReadPlan> plan = follow(1, 1);
  const std::weak_ptr<const storage::PlannedItems> items = plan->items();
  const uint64_t before = future_.changes();
  plan->retract();
  EXPECT_NE(future_.changes(), before);
  EXPECT_TRUE(items.expired());
  EXPECT_EQ(future_.next_read(place_of(3), future_.now()), std::nullopt);
}

TEST(ObjectTable, FindsEveryObjectAndNoOther) {
  const ShuffledItems items(std::vector<uint64_t>(10'000, 1), 1);
  const ObjectTable table(items, id_of, [] { return true; });
  uint64_t wrong = 0;
  for (uint64_t item = 0; item < 10'000; ++item) {
    EXPECT_EQ(table.find(id_of({ShuffledItems::key_of(item), "1"}).low), item);
    wrong += table.find(id_of({ShuffledItems::key_of(item), "2"}).low).has_value();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_LT(table.memory_bytes(), 11u * 10'000);
}

}  // namespace
}  // namespace forebay::cache
