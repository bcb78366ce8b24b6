#include "forebay/dataset/planning/read_ahead.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

class ReadAheadTest : public ::testing::Test {
 protected:
  ReadAheadTest() {
    FileSourceOptions options;
    for (int i = 0; i < 20; ++i) {
      options.files.push_back(
          set_.put("f" + std::to_string(i), std::string(static_cast<size_t>(i) + 1, 'x')));
    }
    other_.put("elsewhere", "y");
    set_.registry.mount("mem://other/", other_.store);
    options.files.push_back("mem://other/elsewhere");
    options.registry = &set_.registry;
    source_ = *make_file_source(options);
    order_ = *Order::create({.dataset_size = 21, .seed = 3, .random_shuffle = true});
  }

  testing::MemorySet set_;
  testing::MemorySet other_;
  std::shared_ptr<Source> source_;
  std::optional<Order> order_;
};

TEST_F(ReadAheadTest, EachStoreIsToldWhatLiesInItInTheOrderOfReading) {
  const ReadAhead ahead(source_, *order_, 5, 8);
  ASSERT_EQ(set_.store->plans().size(), 1u);
  ASSERT_EQ(other_.store->plans().size(), 1u);
  const storage::ReadPlan& plan = *set_.store->plans()[0];
  EXPECT_EQ(plan.cursor(), 5u);
  EXPECT_EQ(plan.reader_window(), 8u);
  size_t elsewhere = 0;
  for (uint64_t k = 5; k < 100; ++k) {  // over several epochs
    const uint64_t index = order_->at(k).index;
    const std::vector<storage::PlannedRange> ranges = plan.ranges(k, 1);
    if (index == 20) {
      EXPECT_TRUE(ranges.empty());
      EXPECT_EQ(other_.store->plans()[0]->ranges(k, 1).size(), 1u);
      ++elsewhere;
      continue;
    }
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].key, "f" + std::to_string(index));
    EXPECT_EQ(ranges[0].length_bytes, index + 1);
    EXPECT_TRUE(ranges[0].is_to_end);  // as a file is read
    EXPECT_EQ(ranges[0].version, storage::stat_now(*set_.store, ranges[0].key)->version);
  }
  EXPECT_GT(elsewhere, 2u);
}

TEST_F(ReadAheadTest, PlansOfTheSameDataSetShareTheirItems) {
  const Order other_rank = *Order::create({.dataset_size = 21, .seed = 4, .random_shuffle = true});
  const ReadAhead one(source_, *order_, 0, 8);
  const ReadAhead two(source_, other_rank, 0, 8);
  const auto first = set_.store->plans().at(0)->items();
  const auto second = set_.store->plans().at(1)->items();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->data_set(), second->data_set());
  EXPECT_NE(first->description(), second->description());
  for (uint64_t k = 0; k < 50; ++k) {
    EXPECT_EQ(second->item_at(second->next_position(first->item_at(k), 30, 100)), first->item_at(k));
  }
}

TEST_F(ReadAheadTest, TheCursorFollowsAndTheEndRetracts) {
  std::optional<ReadAhead> ahead(std::in_place, source_, *order_, 0, 8);
  const std::shared_ptr<storage::ReadPlan> plan = set_.store->plans()[0];
  ahead->advance(7);
  EXPECT_EQ(plan->cursor(), 7u);
  EXPECT_EQ(other_.store->plans()[0]->cursor(), 7u);
  ahead.reset();
  EXPECT_TRUE(plan->is_retracted());
  EXPECT_TRUE(plan->ranges(7, 10).empty());
}

TEST_F(ReadAheadTest, AForkedChildLeavesThePlansAlone) {
  std::optional<ReadAhead> ahead(std::in_place, source_, *order_, 0, 8);
  const std::shared_ptr<storage::ReadPlan> plan = set_.store->plans()[0];
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ahead.reset();
    ::_exit(plan->is_retracted() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_FALSE(plan->is_retracted());
}

TEST_F(ReadAheadTest, RecordsAreViewsOnlyWhereNobodyWrites) {
  const auto data = [](const Result<Record>& record) { return record->fields[0].data(); };
  const Result<Record> first = read_now(*source_, 3, {.may_be_view = true});
  const Result<Record> second = read_now(*source_, 3, {.may_be_view = true});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(data(first), data(second));
  EXPECT_NE(data(read_now(*source_, 3)), data(first));
}

TEST_F(ReadAheadTest, ReadsCarryTheirContext) {
  std::stop_source stop;
  stop.request_stop();
  const auto who = std::make_shared<storage::Caller>(storage::Caller{"session"});
  EXPECT_TRUE(read_now(*source_, 0, {.context = {.who = who}}).ok());
  EXPECT_EQ(set_.store->reads().back().context.who, who);
  const Status status = read_now(*source_, 0, {.context = {.cancellation = stop.get_token()}}).status();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace forebay::dataset
