// One large shard whose scan is interrupted: what was found of it is not scanned again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include <string>
#include <vector>

#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"

namespace forebay::dataset {
namespace {

constexpr int kRecords = 300;
constexpr uint64_t kRecordBytes = 1016;

class ShardPart : public ::testing::Test {
 protected:
  ShardPart() {
    for (int i = 0; i < kRecords; ++i) {
      content_ += testing::tfrecord(std::string(1000, static_cast<char>(i)));
    }
    options_.registry = &set_.registry;
    options_.index_file = "mem://set/x.index";
    rules_ = {.parameters = 7,
              .end_of_row = [](const SampleRow& row) { return row.offset_bytes + row.length_bytes + 4; },
              .part_bytes = 50'000};
  }

  /// Scans the shard to its end, and then perhaps says that it could not be read.
  Result<std::shared_ptr<const SampleIndex>> make(bool is_cut_off) {
    const auto scan = [&](size_t, const ObjectByteSource& shard, const TakeRows& take) -> Result<ShardRows> {
      ShardRows rows;
      const auto row_of = [](const TfrecordRange& record) {
        return SampleRow{.object = 0, .offset_bytes = record.offset_bytes, .length_bytes = record.size_bytes};
      };
      FOREBAY_ASSIGN_OR_RETURN(const TfrecordScan found,
                               scan_tfrecord(shard, "a", [&](const TfrecordRange& record) {
                                 const SampleRow row = row_of(record);
                                 take({&row, 1});
                               }));
      std::ranges::transform(found.records, std::back_inserter(rows.rows), row_of);
      rows.lost_at = found.damaged_at;
      rows.damage = found.damage;
      return is_cut_off ? unavailable("the wire is cut") : Result<ShardRows>(rows);
    };
    set_.store->forget_reads();
    return index_shards(options_, {"mem://set/a"}, 1, 7, rules_, scan);
  }

  uint64_t first_read() {
    uint64_t first = content_.size();
    for (const auto& read : set_.store->reads()) {
      if (read.key == "a") {
        first = std::min(first, read.offset_bytes);
      }
    }
    return first;
  }

  testing::MemorySet set_;
  std::string content_;
  SourceOptions options_;
  TableRules rules_;
};

TEST_F(ShardPart, IsNotScannedAgain) {
  set_.put("a", content_);
  std::vector<uint64_t> samples;
  options_.progress = [&](const IndexProgress& now) { samples.push_back(now.samples_found); };
  EXPECT_EQ(make(true).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(first_read(), 0);
  const auto index = make(false);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_GE(first_read(), content_.size() - 60'000);
  ASSERT_EQ((*index)->size(), kRecords);
  for (int i = 0; i < kRecords; ++i) {
    EXPECT_EQ((*index)->row(i).offset_bytes, static_cast<uint64_t>(i) * kRecordBytes + 12);
    EXPECT_EQ((*index)->row(i).length_bytes, 1000);
  }
  EXPECT_EQ(samples.back(), kRecords);
}

TEST_F(ShardPart, OfAnotherVersionIsScanned) {
  set_.put("a", content_);
  EXPECT_FALSE(make(true).ok());
  set_.put("a", content_.substr(0, 100 * kRecordBytes));
  const auto index = make(false);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(first_read(), 0);
  EXPECT_EQ((*index)->size(), 100);
}

TEST_F(ShardPart, DamageBehindItIsNamedByItsPlaceInTheShard) {
  content_[290 * kRecordBytes] ^= 1;
  set_.put("a", content_);
  EXPECT_FALSE(make(true).ok());
  const auto index = make(false);
  ASSERT_TRUE(index.ok()) << index.status();
  ASSERT_EQ((*index)->size(), 291);
  EXPECT_TRUE((*index)->row(290).is_lost());
  EXPECT_EQ((*index)->row(290).offset_bytes, 290 * kRecordBytes);
}

TEST_F(ShardPart, IsKeptOnlyBesideAnIndex) {
  set_.put("a", content_);
  options_.index_file.clear();
  EXPECT_FALSE(make(true).ok());
  ASSERT_TRUE(make(false).ok());
  EXPECT_EQ(first_read(), 0);
}

}  // namespace
}  // namespace forebay::dataset
