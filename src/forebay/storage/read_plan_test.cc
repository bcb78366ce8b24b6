#include "forebay/storage/read_plan.h"

#include <gtest/gtest.h>

namespace forebay::storage {
namespace {

ReadPlan two_a_position(uint64_t begin, uint64_t end) {
  return {begin, end, [](uint64_t position, std::vector<PlannedRange>* ranges) {
            ranges->push_back({"a", position, 1, "v"});
            ranges->push_back({"b", position, 2, {}});
          }};
}

TEST(ReadPlan, IsAFunctionOfThePosition) {
  ReadPlan plan(3, UINT64_MAX, [](uint64_t position, std::vector<PlannedRange>* ranges) {
    ranges->push_back({"k", position, 1, {}});
  });
  EXPECT_EQ(plan.cursor(), 3u);
  const std::vector<PlannedRange> far = plan.ranges(UINT64_MAX - 5, 100);
  ASSERT_EQ(far.size(), 5u);
  EXPECT_EQ(far[0].offset_bytes, UINT64_MAX - 5);
  EXPECT_TRUE(plan.ranges(7, 0).empty());
}

TEST(ReadPlan, EndsWhereItSays) {
  const ReadPlan plan = two_a_position(0, 10);
  EXPECT_EQ(plan.ranges(8, 100).size(), 4u);
  EXPECT_TRUE(plan.ranges(10, 1).empty());
  EXPECT_TRUE(plan.ranges(99, 1).empty());
}

TEST(ReadPlan, TheCursorOnlyGoesForward) {
  ReadPlan plan(0, 100, [](uint64_t, std::vector<PlannedRange>*) {});
  std::vector<uint64_t> told;
  plan.follow([&told](const ReadPlan& each) { told.push_back(each.cursor()); });
  for (const uint64_t cursor : {5, 3, 5, 9}) {
    plan.advance(cursor);
  }
  EXPECT_EQ(told, (std::vector<uint64_t>{5, 9}));
}

TEST(ReadPlan, RetractedItForgetsItsFunctionAndSaysSo) {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> function = held;
  ReadPlan plan(0, 100, [held = std::move(held)](uint64_t, std::vector<PlannedRange>* ranges) {
    ranges->push_back({});
  });
  int told = 0;
  plan.follow([&told](const ReadPlan& each) { told += each.is_retracted(); });
  EXPECT_FALSE(plan.ranges(0, 1).empty());
  plan.retract();
  plan.retract();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(plan.ranges(0, 1).empty());
  EXPECT_TRUE(function.expired());
}

/// Three items of one object, read over and over in their order.
class ThreeItems final : public PlannedItems {
 public:
  PlanDescription description() const override { return {.data_set = 7, .num_items = 3}; }
  uint64_t data_set() const override { return 7; }
  uint64_t num_items() const override { return 3; }
  uint64_t item_at(uint64_t position) const override { return position % 3; }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override {
    const uint64_t next = from + (item + 3 - from % 3) % 3;
    return next < before ? next : kNeverRead;
  }
  void ranges_of(uint64_t item, std::vector<PlannedRange>* ranges) const override {
    ranges->push_back({"k", item * 10, 10, "v"});
  }
  uint64_t num_objects() const override { return 1; }
  std::optional<PlannedObject> object(uint64_t) const override { return PlannedObject{"k", "v"}; }
  ItemRun items_in(uint64_t, uint64_t offset_bytes, uint64_t) const override {
    return {offset_bytes / 10, 1};
  }
};

TEST(ReadPlan, OfItemsReadsTheItemAtEachPosition) {
  auto items = std::make_shared<const ThreeItems>();
  const std::weak_ptr<const ThreeItems> held = items;
  ReadPlan plan(1, UINT64_MAX, std::move(items), 4);
  const std::vector<PlannedRange> ranges = plan.ranges(5, 2);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].offset_bytes, 20u);
  EXPECT_EQ(ranges[1].offset_bytes, 0u);
  EXPECT_EQ(plan.reader_window(), 4u);
  EXPECT_EQ(plan.items()->description().data_set, 7u);
  EXPECT_EQ(two_a_position(0, 10).items(), nullptr);
  plan.retract();
  EXPECT_EQ(plan.items(), nullptr);
  EXPECT_TRUE(held.expired());
}

TEST(ReadPlan, HasAnIdOfItsOwn) {
  EXPECT_NE(two_a_position(0, 1).id(), two_a_position(0, 1).id());
}

}  // namespace
}  // namespace forebay::storage
