#include "forebay/cache/items/item_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "forebay/base/crc32c.h"
#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/items/host_tables.h"
#include "forebay/cache/messages/shared_memory.h"
#include "forebay/cache/testing/sampled_items.h"
#include "forebay/cache/testing/shuffled_items.h"

namespace forebay::cache {
namespace {

using testing::SampledItems;

constexpr uint64_t kWhole = std::numeric_limits<uint64_t>::max();

SampledItems some_items() {
  std::vector<storage::ObjectStat> objects;
  for (uint64_t i = 0; i < 20; ++i) {
    objects.push_back({.key = "k" + std::to_string(i), .size_bytes = 10 + i, .version = "v"});
  }
  return SampledItems(objects, 3);
}

std::string uri_of(const std::string& key) {
  return "s3://bucket/" + key;
}

bool always() {
  return true;
}

std::string some_image() {
  return *ItemTable::image_of(some_items(), "s3://", uri_of, always);
}

Result<std::shared_ptr<const ItemTable>> open(const std::string& image) {
  return ItemTable::open(bytes_of(image), nullptr);
}

TEST(ItemTableTest, HoldsWhatThePlanKnows) {
  const SampledItems items = some_items();
  const std::string image = some_image();
  const Result<std::shared_ptr<const ItemTable>> opened = open(image);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const ItemTable& table = **opened;
  ASSERT_EQ(table.num_items(), 20U);
  ASSERT_EQ(table.num_objects(), 20U);
  EXPECT_EQ(table.stored_shards(), items.stored_shards());
  for (uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(table.sample_of(i), items.sample_of(i));
    EXPECT_EQ(table.item_of(items.sample_of(i)), i);
    const std::optional<ItemTable::Item> item = table.item(i);
    if (i == 19) {
      EXPECT_FALSE(item) << "of another store";
      EXPECT_TRUE(table.object(i).name.empty());
      continue;
    }
    EXPECT_EQ(table.object(i).name, "bucket/k" + std::to_string(i));
    EXPECT_EQ(table.object(i).version, "v");
    EXPECT_EQ(table.items_in(i, 0, kWhole), (storage::ItemRun{i, 1}));
    ASSERT_TRUE(item);
    EXPECT_EQ(item->object, i);
    EXPECT_EQ(item->length_bytes, 10 + i);
    EXPECT_TRUE(item->is_to_end);
  }
}

/// Shards, whose items the plan numbers as they are stored.
class DescribedShards final : public storage::DescribedItems {
 public:
  storage::PlanDescription description() const override { return shards_.description(); }
  uint64_t data_set() const override { return shards_.data_set(); }
  uint64_t num_items() const override { return shards_.num_items(); }
  uint64_t item_at(uint64_t position) const override { return shards_.item_at(position); }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override {
    return shards_.next_position(item, from, before);
  }
  void ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const override {
    for (int i = 0; i < ranges_each; ++i) {
      shards_.ranges_of(item, ranges);
    }
  }
  uint64_t num_objects() const override { return shards_.num_objects(); }
  std::optional<storage::PlannedObject> object(uint64_t number) const override {
    return shards_.object(number);
  }
  storage::ItemRun items_in(uint64_t object, uint64_t offset_bytes, uint64_t length_bytes) const override {
    const uint64_t bytes = 10 * testing::ShardedItems::kItemBytes;
    return shards_.items_in(object, offset_bytes,
                            std::min(length_bytes, bytes - std::min(bytes, offset_bytes)));
  }
  uint64_t sample_of(uint64_t item) const override { return item; }
  std::vector<uint64_t> stored_shards() const override { return shards; }

  int ranges_each = 1;
  std::vector<uint64_t> shards;

 private:
  const testing::ShardedItems shards_{40, 10, 1};
};

TEST(ItemTableTest, FindsTheItemsInAPartOfAShard) {
  const DescribedShards shards;
  const std::string image = *ItemTable::image_of(shards, "s3://", uri_of, always);
  const std::shared_ptr<const ItemTable> table = *open(image);
  for (uint64_t shard = 0; shard < 4; ++shard) {
    for (uint64_t offset = 0; offset < 1000; offset += 50) {
      for (const uint64_t length : {1, 100, 250}) {
        if (offset + length <= 1000) {
          EXPECT_EQ(table->items_in(shard, offset, length), shards.items_in(shard, offset, length));
        }
      }
    }
  }
  EXPECT_EQ(table->items_in(0, 2000, 10).count, 0U);
  EXPECT_EQ(table->items_in(0, kWhole, kWhole).count, 0U);
}

TEST(ItemTableTest, WhatItCannotHoldIsRefused) {
  DescribedShards shards;
  shards.ranges_each = 2;
  EXPECT_EQ(ItemTable::image_of(shards, "s3://", uri_of, always).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(ItemTable::image_of(some_items(), "s3://", uri_of, [] { return false; }).status().code(),
            StatusCode::kCancelled);
  shards.ranges_each = 1;
  shards.shards = {10, 31};
  EXPECT_EQ(open(*ItemTable::image_of(shards, "s3://", uri_of, always)).status().code(),
            StatusCode::kDataLoss);
  shards.shards = {10, 29};
  EXPECT_EQ(open(*ItemTable::image_of(shards, "s3://", uri_of, always)).status().code(),
            StatusCode::kDataLoss);
  const std::string elsewhere = *ItemTable::image_of(some_items(), "gs://", uri_of, always);
  EXPECT_TRUE((*open(elsewhere))->object(0).name.empty());
  EXPECT_FALSE((*open(elsewhere))->item(0));
}

TEST(ItemTableTest, DamageIsNoticed) {
  const std::string image = some_image();
  for (size_t size = 0; size < image.size(); ++size) {
    EXPECT_EQ(open(image.substr(0, size)).status().code(), StatusCode::kDataLoss) << size;
  }
  EXPECT_FALSE(open(image + "x").ok());
  for (size_t i = 0; i < image.size(); ++i) {
    std::string damaged = image;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    EXPECT_FALSE(open(damaged).ok()) << i;
  }
}

/// A table with any word replaced, and a checksum that says it is sound.
std::string with_word(const std::string& image, size_t at, uint32_t word) {
  constexpr size_t kCrcAt = 44;
  std::string changed = image;
  std::memcpy(changed.data() + at, &word, sizeof(word));
  const Bytes bytes = bytes_of(changed);
  const uint32_t crc = crc32c(bytes.subspan(kCrcAt + 4), crc32c(bytes.first(kCrcAt)));
  std::memcpy(changed.data() + kCrcAt, &crc, sizeof(crc));
  return changed;
}

/// Touches everything that a table names.
void use(const ItemTable& table) {
  size_t bytes = 0;
  for (uint64_t number = 0; number < table.num_objects(); ++number) {
    const ItemTable::Object object = table.object(number);
    bytes += std::string(object.name).size() + std::string(object.version).size();
    ASSERT_LE(object.items.first + object.items.count, table.num_items());
    bytes += table.items_in(number, 0, kWhole).count + table.items_in(number, 5, 1).count;
  }
  for (uint64_t item = 0; item < table.num_items(); ++item) {
    ASSERT_EQ(table.item_of(table.sample_of(item)), item);
    if (const std::optional<ItemTable::Item> at = table.item(item)) {
      ASSERT_LT(at->object, table.num_objects());
    }
  }
  ASSERT_LT(bytes, size_t{1} << 20);
}

TEST(ItemTableTest, NumbersThatLieAreRefusedOrHarmless) {
  const std::string image = some_image();
  int accepted = 0;
  for (size_t at = 0; at + 4 <= image.size(); at += 4) {
    for (const uint32_t word : {0U, 1U, 7U, 0x7fffffffU, 0xffffffffU}) {
      const std::string changed = with_word(image, at, word);
      if (const auto table = open(changed); table.ok()) {
        use(**table);
        ++accepted;
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(ItemTableTest, MovesFromSharedMemoryToAFile) {
  const TemporaryDirectory directory;
  const std::string image = some_image();
  for (const std::string& place : {directory.path(), std::string(), std::string("/nowhere")}) {
    const auto room = std::make_shared<RoomBeside>(place, image.size());
    const auto table = open_table(*sealed_copy(bytes_of(image)), image.size(), room);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ((*table)->num_items(), 20U);
  }
  const auto room = std::make_shared<RoomBeside>(directory.path(), image.size());
  EXPECT_EQ(open_table(*sealed_copy(bytes_of(image)), image.size() - 1, room).status().code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(room->used_bytes(), 0U);
}

TEST(ItemTableTest, TakesRoomOfTheDirectoryForAsLongAsItIsUsed) {
  const TemporaryDirectory directory;
  const std::string image = some_image();
  const auto open_in = [&](const std::shared_ptr<RoomBeside>& room) {
    return *open_table(*sealed_copy(bytes_of(image)), image.size(), room);
  };
  const auto room = std::make_shared<RoomBeside>(directory.path(), 2 * image.size() - 1);
  auto first = open_in(room);
  EXPECT_EQ(room->used_bytes(), image.size());
  const auto second = open_in(room);
  EXPECT_EQ(room->used_bytes(), image.size()) << "where there is no room it stays in memory";
  EXPECT_EQ(second->num_items(), 20U);
  first.reset();
  EXPECT_EQ(room->used_bytes(), 0U);
  const auto full_disk =
      std::make_shared<RoomBeside>(directory.path(), image.size(), [](uint64_t) { return false; });
  EXPECT_EQ(open_in(full_disk)->num_items(), 20U);
  EXPECT_EQ(full_disk->used_bytes(), 0U);
}

TEST(ItemTableTest, SeedsOfTheFuzzerAreTables) {
  expect_seeds("item_table_fuzzer", "whole", some_image());
}

}  // namespace
}  // namespace forebay::cache
