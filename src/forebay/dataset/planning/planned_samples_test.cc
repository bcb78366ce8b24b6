#include "forebay/dataset/planning/planned_samples.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"

namespace forebay::dataset {
namespace {

/// Files in an order that is not that of their names, one in a second store, one missing.
class PlannedSamplesTest : public ::testing::Test {
 protected:
  PlannedSamplesTest() {
    set_.registry.mount("mem://other/", other_.store);
    other_.put("elsewhere", "y");
    for (uint64_t i = 0; i < 30; ++i) {
      options_.files.push_back(set_.put("f" + std::to_string(i * 7 % 30), std::string(i + 1, 'x')));
    }
    options_.files.push_back("mem://other/elsewhere");
    options_.files.push_back("mem://set/missing");
    options_.registry = &set_.registry;
  }

  std::shared_ptr<const IndexedSource> open() const {
    return std::dynamic_pointer_cast<const IndexedSource>(*make_file_source(options_));
  }

  static Order shuffled(uint32_t shard) {
    return *Order::create(
        {.dataset_size = 32, .num_shards = 2, .shard_id = shard, .seed = 3, .random_shuffle = true});
  }

  testing::MemorySet set_;
  testing::MemorySet other_;
  FileSourceOptions options_;
};

TEST_F(PlannedSamplesTest, EachPositionIsAnItemWithItsRanges) {
  const auto source = open();
  const Order order = shuffled(1);
  const PlannedSamples items(source, order, set_.store.get());
  ASSERT_EQ(items.num_items(), 32u);
  for (uint64_t k = 0; k < 100; ++k) {
    std::vector<storage::PlannedRange> ranges;
    items.ranges_of(items.item_at(k), &ranges);
    const Result<SampleLocation> sample = source->locate(static_cast<int64_t>(order.at(k).index));
    const bool is_here = sample->object.starts_with("mem://set/f");
    ASSERT_EQ(ranges.size(), is_here ? 1u : 0u) << sample->object;
    if (is_here) {
      EXPECT_EQ("mem://set/" + ranges[0].key, sample->object);
      EXPECT_EQ(ranges[0].length_bytes, sample->length_bytes);
    }
  }
}

TEST_F(PlannedSamplesTest, TellTheNextPositionOfWhatAnObjectHolds) {
  const PlannedSamples items(open(), shuffled(0), set_.store.get());
  uint64_t found = 0;
  for (uint64_t object = 0; object < items.num_objects(); ++object) {
    const std::optional<storage::PlannedObject> name = items.object(object);
    if (!name) {
      continue;  // the one in the other store, and the one that is missing
    }
    ++found;
    EXPECT_EQ(name->version, storage::stat_now(*set_.store, name->key)->version);
    const storage::ItemRun run = items.items_in(object, 0, 1);
    ASSERT_EQ(run.count, 1u);
    const uint64_t next = items.next_position(run.first, 40, 1000);
    uint64_t expected = 40;
    while (items.item_at(expected) != run.first) {
      ++expected;
    }
    EXPECT_EQ(next, expected);
    EXPECT_EQ(items.next_position(run.first, 40, expected), storage::kNeverRead);
    std::vector<storage::PlannedRange> ranges;
    items.ranges_of(run.first, &ranges);
    EXPECT_EQ(ranges.at(0).key, name->key);
  }
  EXPECT_EQ(found, 30u);
}

TEST_F(PlannedSamplesTest, AreTheSameInAnotherProcessThatHasTheirDescription) {
  const PlannedSamples items(open(), shuffled(1), set_.store.get());
  const storage::PlanDescription description = items.description();
  const Result<Order> order = order_of(description);
  ASSERT_TRUE(order.ok()) << order.status();
  const PlannedSamples again(open(), *order, set_.store.get());
  EXPECT_EQ(again.description(), description);
  const std::shared_ptr<const storage::ReadOrder> read_order = *read_order_of(description, {});
  for (uint64_t k = 0; k < 100; ++k) {
    EXPECT_EQ(again.item_at(k), items.item_at(k));
    const uint64_t sample = items.sample_of(items.item_at(k));
    EXPECT_EQ(read_order->sample_at(k), sample);
    EXPECT_EQ(read_order->next_read(sample, k, k + 1), k);
  }
  storage::PlanDescription wrong = description;
  wrong.shard_id = 2;
  EXPECT_EQ(order_of(wrong).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_order_of(wrong, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(PlannedSamplesTest, OfShardsOneByOneAreTheSameInAnotherProcess) {
  TfrecordOptions options = {.features = {{.name = "x", .kind = FeatureKind::kInt64}}};
  options.registry = &set_.registry;
  for (const int records : {3, 0, 5, 1}) {
    std::string content;
    for (int i = 0; i < records; ++i) {
      content += testing::tfrecord(std::to_string(i));
    }
    options.path.push_back(set_.put("t" + std::to_string(records), content));
  }
  const auto source = std::dynamic_pointer_cast<const IndexedSource>(*make_tfrecord_source(options));
  ASSERT_EQ(source->stored_shards(), (std::vector<uint64_t>{3, 0, 5, 1}));
  const auto shards = std::make_shared<const std::vector<uint64_t>>(source->stored_shards());
  const Order order = *Order::create({.dataset_size = 9,
                                      .num_shards = 2,
                                      .shard_id = 1,
                                      .seed = 3,
                                      .shard_first = true,
                                      .stored_shards = shards});
  const PlannedSamples items(source, order, set_.store.get());
  const auto read_order = *read_order_of(items.description(), items.stored_shards());
  for (uint64_t k = 0; k < 40; ++k) {
    EXPECT_EQ(read_order->sample_at(k), order.at(k).index);
    EXPECT_EQ(items.next_position(items.item_at(k), k, k + 1), k);
  }
  EXPECT_FALSE(read_order_of(items.description(), {}).ok());
  EXPECT_FALSE(read_order_of(items.description(), {3, 5}).ok());
}

TEST_F(PlannedSamplesTest, AreOfAnotherDataSetOnceAnObjectHasAnotherVersion) {
  const uint64_t before = open()->identity();
  EXPECT_EQ(open()->identity(), before);
  set_.put("f3", "other");
  EXPECT_NE(open()->identity(), before);
}

}  // namespace
}  // namespace forebay::dataset
