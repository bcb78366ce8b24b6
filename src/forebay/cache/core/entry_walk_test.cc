// Walks through all entries: verify and free, by name and in pieces.
#include "forebay/cache/core/entry_walk.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {
namespace {

constexpr size_t kLarge = (2 << 20) + 54'321;  // three chunks

class EntryWalkTest : public ::testing::Test {
 protected:
  void open() {
    close();
    CacheOptions options = small_cache(directory_ / "cache", files_);
    options.directories.front().quota_bytes = 64 << 20;
    cache_ = *Cache::open(options);
  }
  void close() {
    if (cache_) {
      cache_->close();
      cache_.reset();
    }
  }
  CacheCore& core() { return *cache_->core(); }
  CacheWalked walk(WalkKind kind, const std::string& uri) { return *cache_->walk_all(kind, uri); }

  /// Three small objects and a large one.
  void fill() {
    for (const int number : {1, 2, 12}) {
      put_whole(core(), number, 1000);
    }
    put_chunks(core(), 7, kLarge);
  }

  /// Changes a byte in each file of a folder.
  void damage(const std::string& folder, std::streamoff at) {
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "cache/" + folder)) {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const int byte = file.get();
      file.seekp(at);
      file.put(static_cast<char>(byte ^ 1));
    }
  }

  TemporaryDirectory directory_;
  const std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
  std::shared_ptr<Cache> cache_;
};

TEST_F(EntryWalkTest, VerifyLooksAtEverythingBelowAName) {
  for (int run = 0; run < 2; ++run) {  // what was just written, and what an earlier run left
    open();
    fill();
    const CacheWalked all = walk(WalkKind::kVerify, "");
    EXPECT_EQ(all.entries, 6u);
    EXPECT_EQ(all.bytes, 3000 + kLarge);
    EXPECT_EQ(all.dropped + all.unreadable, 0u);
    EXPECT_EQ(walk(WalkKind::kVerify, "s3://bucket").entries, 6u);
    EXPECT_EQ(walk(WalkKind::kVerify, "s3://bucket/1").entries, 1u);
    EXPECT_EQ(walk(WalkKind::kVerify, "s3://bucket/7/").entries, 3u);
    EXPECT_EQ(walk(WalkKind::kVerify, "s3://buck").entries, 0u);
  }
}

TEST_F(EntryWalkTest, VerifyFindsWhatWasDamagedSinceItWasChecked) {
  open();
  fill();
  core().flush();
  EXPECT_TRUE(get_range(core(), 7, {0, kLarge}));  // checked from now on
  damage("objects", 8192 + (1 << 20));
  const CacheWalked walked = walk(WalkKind::kVerify, "");
  EXPECT_EQ(walked.entries, 6u);
  EXPECT_EQ(walked.dropped, 1u);
  EXPECT_EQ(walked.dropped_bytes, kChunkBytes);
  EXPECT_EQ(cache_->statistics().damaged, 1u);
  EXPECT_EQ(get_range(core(), 7, {kChunkBytes, 10}), std::nullopt);
  EXPECT_TRUE(get_range(core(), 7, {0, 10}));
  EXPECT_EQ(walk(WalkKind::kVerify, "").entries, 5u);
}

// A name that cannot be read lies below every name: its entry could never be used.
TEST_F(EntryWalkTest, VerifyDropsWhatHasLostItsName) {
  open();
  put_whole(core(), 1, 1000);
  core().flush();
  damage("segments", 64 + 64 + 1088);  // behind header, block, content and zeros
  const CacheWalked walked = walk(WalkKind::kVerify, "s3://another");
  EXPECT_EQ(walked.dropped, 1u);
  EXPECT_EQ(get_range(core(), 1, {0, 1000}), std::nullopt);
}

TEST_F(EntryWalkTest, WhatTheProcessLacksIsNoDamage) {
  open();
  fill();
  core().flush();
  files_->fail_reads(errno_status(EMFILE, "open"));
  for (const WalkKind kind : {WalkKind::kVerify, WalkKind::kFree}) {
    const CacheWalked walked = walk(kind, "");
    EXPECT_EQ(walked.unreadable, 6u);
    EXPECT_EQ(walked.dropped, 0u);
  }
  files_->fail_reads(ok_status());
  EXPECT_EQ(walk(WalkKind::kVerify, "").entries, 6u);
  EXPECT_EQ(cache_->statistics().damaged, 0u);
}

TEST_F(EntryWalkTest, FreeDropsWhatLiesBelowANameAndNothingElse) {
  open();
  fill();
  put_whole(core(), 70, 1000);  // waits to be written
  const CacheWalked walked = walk(WalkKind::kFree, "s3://bucket/7");
  EXPECT_EQ(walked.dropped, 3u);
  EXPECT_EQ(walked.dropped_bytes, kLarge);
  EXPECT_EQ(get_range(core(), 7, {0, 10}), std::nullopt);
  EXPECT_TRUE(get_range(core(), 70, {0, 1000}));
  EXPECT_EQ(walk(WalkKind::kFree, "s3://bucket").dropped, 4u);
  EXPECT_EQ(cache_->statistics().entries, 0u);
  EXPECT_LE(cache_->statistics().disk_bytes,
            2 * kFileBlockBytes);  // what is appended to next is there already
  put_chunks(core(), 7, kLarge);
  EXPECT_EQ(get_range(core(), 7, {0, kLarge}), content_of(7, kLarge));
}

TEST_F(EntryWalkTest, WhatWasFreedDoesNotReturnAfterACrash) {
  open();
  put_chunks(core(), 7, kLarge);
  put_chunks(core(), 8, kLarge);
  core().flush();
  std::promise<void> begun;
  std::promise<void> go_on;
  files_->set_hook([&, gone = go_on.get_future().share()](WritePoint point, ChangePhase phase) {
    if (point == WritePoint::kRemoveObject && phase == ChangePhase::kBefore) {
      begun.set_value();
      gone.wait();
    }
    return ok_status();
  });
  std::future<CacheWalked> freed =
      std::async(std::launch::async, [this] { return walk(WalkKind::kFree, "s3://bucket/7"); });
  begun.get_future().wait();
  EXPECT_EQ(freed.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  go_on.set_value();
  EXPECT_EQ(freed.get().dropped, 3u);
  // What is on disk now is what a process finds that begins after this one was killed.
  const std::string left = directory_ / "left";
  std::filesystem::copy(directory_ / "cache", left, std::filesystem::copy_options::recursive);
  const std::shared_ptr<Cache> next = *Cache::open(small_cache(left, host_files()));
  EXPECT_EQ(get_range(*next->core(), 7, {0, 10}), std::nullopt);
  EXPECT_EQ(get_range(*next->core(), 8, {0, kLarge}), content_of(8, kLarge));
  next->close();
}

TEST_F(EntryWalkTest, FreeLeavesWhatIsReadAndWhatIsPinned) {
  open();
  fill();
  core().flush();
  const std::optional<storage::ReadBytes> view = core().find(numbered_object(1), {0, 1000}).bytes;
  core().set_rules(std::make_shared<const RuleTable>(
      std::vector<AdmissionRule>{{.prefix = "s3://bucket/2", .retention = {.is_pinned = true}}}));
  const CacheWalked walked = walk(WalkKind::kFree, "");
  EXPECT_EQ(walked.pinned, 1u);
  EXPECT_EQ(walked.dropped, 5u);
  EXPECT_TRUE(get_range(core(), 2, {0, 1000}));
  EXPECT_EQ(get_range(core(), 1, {0, 1000}), std::nullopt);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(view->bytes.data()), 1000), content_of(1, 1000));
}

TEST_F(EntryWalkTest, CountingLeavesEverythingAsItIs) {
  open();
  fill();
  core().set_rules(std::make_shared<const RuleTable>(
      std::vector<AdmissionRule>{{.prefix = "s3://bucket/7", .retention = {.is_pinned = true}}}));
  for (int round = 0; round < 2; ++round) {
    const CacheWalked all = walk(WalkKind::kCount, "");
    EXPECT_EQ(all.entries, 6u);
    EXPECT_EQ(all.bytes, 3000 + kLarge);
    EXPECT_EQ(all.pinned, 0u);
    EXPECT_EQ(all.dropped + all.unreadable, 0u);
    EXPECT_EQ(walk(WalkKind::kCount, "s3://bucket/1").bytes, 1000u);
    EXPECT_EQ(core().statistics().pinned_bytes, 0u) << "what a walk that applies rules would do";
  }
  EXPECT_EQ(walk(WalkKind::kApplyRules, "").pinned, 3u);
  EXPECT_EQ(walk(WalkKind::kCount, "").pinned, 3u) << "what is pinned, not what a rule asks for";
  EXPECT_EQ(core().statistics().pinned_bytes, kLarge);
}

TEST_F(EntryWalkTest, PiecesEndAndWhatComesInLaterIsNotLookedAt) {
  open();
  for (int i = 0; i < 40; ++i) {
    put_chunks(core(), i, 1 << 20);
  }
  CacheWalked walked = *cache_->walk({.kind = WalkKind::kVerify});
  EXPECT_FALSE(walked.is_over());
  EXPECT_GE(walked.bytes, EntryWalk::kMaxBytes);
  EXPECT_EQ(walked.end, 40u);
  put_whole(core(), 100, 1000);
  uint64_t entries = walked.entries;
  while (!walked.is_over()) {
    walked = *cache_->walk({.kind = WalkKind::kVerify, .begin = walked.next, .end = walked.end});
    entries += walked.entries;
  }
  EXPECT_EQ(entries, 40u);
  for (const CacheWalk& odd :
       {CacheWalk{.begin = 1000, .end = 5}, CacheWalk{.begin = 7, .end = uint64_t{1} << 63},
        CacheWalk{.begin = ~uint64_t{0} - 3, .end = ~uint64_t{0}}}) {
    EXPECT_TRUE(cache_->walk(odd)->is_over() || cache_->walk(odd)->next > odd.begin);
  }
}

TEST_F(EntryWalkTest, WithoutADirectoryThereAreNoNames) {
  const std::shared_ptr<Cache> in_memory = *Cache::open({.memory_bytes = 1 << 20});
  EXPECT_EQ(in_memory->walk({}).status().code(), StatusCode::kFailedPrecondition);
  open();
  fill();
  cache_->close();
  EXPECT_EQ(cache_->walk({.kind = WalkKind::kVerify}).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace forebay::cache
