#include "forebay/cache/core/cache_core.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::ReadBytes;
using storage::text_of;

class CacheCoreTest : public ::testing::Test {
 protected:
  CacheOptions options(uint64_t quota_bytes = 64 << 20) {
    return {
        .directories = {{.path = directory_ / "cache", .quota_bytes = quota_bytes, .least_free_bytes = 0}},
        .segment_bytes = 4 << 20};
  }
  void open(const CacheOptions& given) {
    close();
    Result<std::shared_ptr<CacheCore>> opened = CacheCore::open(given);
    ASSERT_TRUE(opened.ok()) << opened.status();
    core_ = *std::move(opened);
  }
  void close() {
    if (core_) {
      core_->close();
      core_.reset();
    }
  }
  void put(int number, size_t bytes) { put_whole(*core_, number, bytes); }
  std::optional<std::string> get(int number, ByteRange range = {0, storage::kToEnd}) {
    const std::optional<ReadBytes> found = core_->find(numbered_object(number), range).bytes;
    return found ? std::optional(text_of(*found)) : std::nullopt;
  }
  std::vector<std::filesystem::path> files(const std::string& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "cache/" + folder)) {
      paths.push_back(entry.path());
    }
    return paths;
  }
  ~CacheCoreTest() override { close(); }

  TemporaryDirectory directory_;
  std::shared_ptr<CacheCore> core_;
};

TEST_F(CacheCoreTest, FindsWhatWasInsertedBeforeAndAfterItIsWritten) {
  open(options());
  put(1, 100'000);
  EXPECT_EQ(get(1), content_of(1, 100'000));
  core_->flush();
  EXPECT_EQ(core_->statistics().memory_bytes, 0u);
  EXPECT_EQ(get(1), content_of(1, 100'000));
  EXPECT_EQ(get(1, {10, 20}), content_of(1, 100'000).substr(10, 20));
  EXPECT_EQ(get(1, {10, 100'000}), std::nullopt);
  EXPECT_EQ(get(2), std::nullopt);
}

TEST_F(CacheCoreTest, IsThereAgainAfterARestart) {
  open(options());
  for (int i = 0; i < 100; ++i) {
    put(i, 90'000 + static_cast<size_t>(i));
  }
  open(options());
  EXPECT_EQ(core_->statistics().entries, 100u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(get(i), content_of(i, 90'000 + static_cast<size_t>(i))) << i;
  }
}

TEST_F(CacheCoreTest, StaysWithinItsQuota) {
  open(options(10 << 20));
  for (int i = 0; i < 300; ++i) {
    put(i, 100'000);
    core_->flush();
    EXPECT_LE(core_->statistics().disk_bytes, 10u << 20);
  }
  EXPECT_GT(core_->statistics().evictions, 150u);
  EXPECT_EQ(get(299), content_of(299, 100'000));
  uint64_t allocated = 0;
  core_->flush();
  for (const std::filesystem::path& file : files("segments")) {
    struct stat stat;
    ASSERT_EQ(::stat(file.c_str(), &stat), 0);
    allocated += static_cast<uint64_t>(stat.st_blocks) * 512;
  }
  EXPECT_LE(allocated, (10u << 20) + (1u << 20));
  open(options(10 << 20));
  for (int i = 0; i < 300; ++i) {
    const std::optional<std::string> found = get(i);
    EXPECT_TRUE(!found || *found == content_of(i, 100'000)) << i;
  }
}

TEST_F(CacheCoreTest, WhatIsReadStaysAsItIs) {
  open(options(4 << 20));
  put(0, 500'000);
  core_->flush();
  std::optional<ReadBytes> view = core_->find(numbered_object(0), {0, storage::kToEnd}).bytes;
  ASSERT_TRUE(view);
  for (int i = 1; i < 50; ++i) {
    put(i, 500'000);
    core_->flush();
  }
  EXPECT_EQ(get(0), std::nullopt);
  EXPECT_EQ(text_of(*view), content_of(0, 500'000));
  const uint64_t before = core_->statistics().disk_bytes;
  view.reset();
  EXPECT_LT(core_->statistics().disk_bytes, before);
}

TEST_F(CacheCoreTest, ADamagedEntryIsDropped) {
  open(options());
  put(1, 100'000);
  close();
  const std::filesystem::path segment = files("segments").at(0);
  std::fstream file(segment, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(50'000);
  file.put('!');
  file.close();
  open(options());
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(core_->statistics().damaged, 1u);
  put(1, 100'000);
  EXPECT_EQ(get(1), content_of(1, 100'000));
}

TEST_F(CacheCoreTest, ChunksOfALargeObjectAreOneView) {
  open(options());
  const std::string content = content_of(7, (3 << 20) + 12'345);
  for (uint64_t start = 0; start < content.size(); start += kChunkBytes) {
    core_->insert(numbered_object(7),
                  {.start_bytes = start, .object_bytes = content.size(), .is_chunk = true},
                  bytes_from(content.substr(start, kChunkBytes)));
  }
  for (int run = 0; run < 2; ++run) {
    core_->flush();
    EXPECT_EQ(get(7), content);
    EXPECT_EQ(get(7, {1'000'000, 2'000'000}), content.substr(1'000'000, 2'000'000));
    EXPECT_EQ(get(7, {3 << 20, 12'346}), std::nullopt);
    EXPECT_EQ(core_->object_bytes(numbered_object(7).id), content.size());
    open(options());
  }
}

TEST_F(CacheCoreTest, ChunksGoOneByOne) {
  open(options(4 << 20));
  const std::string content = content_of(7, 8 << 20);
  for (uint64_t start = 0; start < content.size(); start += kChunkBytes) {
    core_->insert(numbered_object(7),
                  {.start_bytes = start, .object_bytes = content.size(), .is_chunk = true},
                  bytes_from(content.substr(start, kChunkBytes)));
    core_->flush();
  }
  EXPECT_EQ(get(7, {0, 10}), std::nullopt);
  EXPECT_EQ(get(7, {7 << 20, 10}), content.substr(7 << 20, 10));
  EXPECT_EQ(files("objects").size(), 2u) << "its content, and the records";
  int64_t taken_bytes = 0;
  for (const std::filesystem::path& file : files("objects")) {
    struct stat stat;
    ASSERT_EQ(::stat(file.c_str(), &stat), 0);
    taken_bytes += stat.st_blocks * 512;
  }
  EXPECT_LE(taken_bytes, 4 << 20);
}

// It has one place, which is given back once the reader has gone.
TEST_F(CacheCoreTest, AnEvictedChunkThatIsReadComesAgainOnlyAfterwards) {
  open(options(4 << 20));
  const std::string content = content_of(7, 8 << 20);
  const auto put_chunk = [&](uint64_t start) {
    core_->insert(numbered_object(7),
                  {.start_bytes = start, .object_bytes = content.size(), .is_chunk = true},
                  bytes_from(content.substr(start, kChunkBytes)));
    core_->flush();
  };
  put_chunk(0);
  std::optional<ReadBytes> view = core_->find(numbered_object(7), {0, kChunkBytes}).bytes;
  for (uint64_t start = kChunkBytes; start < content.size(); start += kChunkBytes) {
    put_chunk(start);
  }
  EXPECT_EQ(get(7, {0, 10}), std::nullopt);
  put_chunk(0);
  EXPECT_EQ(text_of(*view), content.substr(0, kChunkBytes));
  view.reset();
  core_->flush();
  const std::optional<std::string> found = get(7, {0, kChunkBytes});
  EXPECT_TRUE(!found || *found == content.substr(0, kChunkBytes));
  put_chunk(0);
  EXPECT_EQ(get(7, {0, kChunkBytes}), content.substr(0, kChunkBytes));
}

TEST_F(CacheCoreTest, BelongsToOneProcess) {
  open(options());
  const Result<std::shared_ptr<CacheCore>> second = CacheCore::open(options());
  EXPECT_EQ(second.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(message(second.status()).find(directory_ / "cache"), std::string_view::npos);
}

TEST_F(CacheCoreTest, OnceClosedItIsFreeForOthersWhenNobodyReads) {
  open(options());
  put(1, 1000);
  core_->flush();
  std::optional<ReadBytes> view = core_->find(numbered_object(1), {0, 1000}).bytes;
  core_->close();
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_FALSE(CacheCore::open(options()).ok());
  EXPECT_EQ(text_of(*view), content_of(1, 1000));
  view.reset();
  const Result<std::shared_ptr<CacheCore>> second = CacheCore::open(options());
  ASSERT_TRUE(second.ok()) << second.status();
  (*second)->close();
}

TEST_F(CacheCoreTest, KeepsInMemoryWhatFits) {
  open({.memory_bytes = 1 << 20});
  for (int i = 0; i < 20; ++i) {
    put(i, 100'000);
    EXPECT_LE(core_->statistics().memory_bytes, 1u << 20);
  }
  EXPECT_EQ(get(19), content_of(19, 100'000));
  EXPECT_EQ(get(0), std::nullopt);
}

TEST_F(CacheCoreTest, RulesSayWhatComesIn) {
  CacheOptions given = options();
  given.admission = {{.prefix = "s3://bucket/", .is_cached = false},
                     {.prefix = "s3://bucket/1", .largest_object_bytes = 1000}};
  open(given);
  put(1, 1001);
  put(2, 10);
  put(10, 10);
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(get(2), std::nullopt);
  EXPECT_EQ(get(10), std::nullopt);  // 10 is another component than 1
  EXPECT_EQ(core_->statistics().bypasses, 3u);
  put(1, 1000);
  EXPECT_EQ(get(1), content_of(1, 1000));
}

TEST_F(CacheCoreTest, WhatHasExpiredIsNotServedAlsoAfterARestart) {
  uint32_t now_s = 1'000'000;
  CacheOptions given = options();
  given.unix_seconds = [&] { return now_s; };
  given.admission = {{.prefix = "s3://bucket/1", .time_to_live_s = 60}};
  open(given);
  put(1, 1000);
  put(2, 1000);
  now_s += 59;
  EXPECT_EQ(get(1), content_of(1, 1000));
  open(given);
  EXPECT_EQ(get(1), content_of(1, 1000));
  now_s += 1;
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(get(2), content_of(2, 1000));
  put(1, 1000);
  now_s += 60;
  open(given);
  EXPECT_EQ(core_->statistics().entries, 1u);
}

// Clocks are set back, too: then an entry stays longer, and no more than that.
TEST_F(CacheCoreTest, AClockThatIsSetBackDoesNoHarm) {
  uint32_t now_s = 1'000'000;
  CacheOptions given = options();
  given.unix_seconds = [&] { return now_s; };
  given.admission = {{.prefix = "s3://bucket/", .time_to_live_s = 60}};
  open(given);
  put(1, 1000);
  now_s = 5;
  EXPECT_EQ(get(1), content_of(1, 1000));
  put(2, 1000);
  now_s = 1'000'060;
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(get(2), std::nullopt);
}

TEST_F(CacheCoreTest, ALongTimeToLiveIsNotInThePast) {
  uint32_t now_s = 1'000'000;
  CacheOptions given = options();
  given.unix_seconds = [&] { return now_s; };
  given.admission = {{.prefix = "s3://bucket/", .time_to_live_s = std::numeric_limits<uint32_t>::max()}};
  open(given);
  put(1, 1000);
  EXPECT_EQ(get(1), content_of(1, 1000));
  now_s = std::numeric_limits<uint32_t>::max() - 1;
  EXPECT_EQ(get(1), content_of(1, 1000));
}

TEST_F(CacheCoreTest, TheSmallestSegmentTakesTheLargestEntry) {
  CacheOptions given = options();
  given.segment_bytes = 1;
  open(given);
  const std::string content = content_of(1, kChunkBytes);
  for (int i = 0; i < 3; ++i) {
    const std::string version(kMaxVersionBytes, static_cast<char>('0' + i));
    const ObjectVersion object(std::string(kMaxUriBytes, 'k'), version);
    core_->insert(object, {.object_bytes = kChunkBytes}, bytes_from(content));
    core_->flush();
    const std::optional<ReadBytes> found = core_->find(object, {0, kChunkBytes}).bytes;
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(text_of(*found), content);
  }
  EXPECT_EQ(files("segments").size(), 3u);
}

TEST_F(CacheCoreTest, WhatHasExpiredGoesBeforeAnythingElse) {
  uint32_t now_s = 1'000'000;
  CacheOptions given = options(4 << 20);
  given.unix_seconds = [&] { return now_s; };
  given.admission = {{.prefix = "s3://bucket/5", .time_to_live_s = 60},
                     {.prefix = "s3://bucket/6", .time_to_live_s = 30}};
  open(given);
  for (int i = 0; i < 7; ++i) {
    put(i, 500'000);
    core_->flush();
  }
  now_s += 60;
  put(10, 900'000);
  core_->flush();
  put(11, 500'000);
  for (const int kept : {0, 1, 2, 3, 4}) {
    EXPECT_TRUE(get(kept)) << kept;
  }
  EXPECT_TRUE(get(10));
  EXPECT_TRUE(get(11));
  EXPECT_EQ(core_->statistics().evictions, 0u);
}

TEST_F(CacheCoreTest, PinnedObjectsStay) {
  open(options(4 << 20));
  core_->set_rules(std::make_shared<const RuleTable>(
      std::vector<AdmissionRule>{{.prefix = "s3://bucket/0", .retention = {.is_pinned = true}}}));
  put(0, 500'000);
  for (int i = 1; i < 30; ++i) {
    put(i, 500'000);
    core_->flush();
  }
  EXPECT_EQ(get(0), content_of(0, 500'000));
}

}  // namespace
}  // namespace forebay::cache
