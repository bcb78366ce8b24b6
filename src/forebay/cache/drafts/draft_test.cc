// What is written in parts is kept, if it is whole, and takes no more room than it may.
#include "forebay/cache/drafts/draft.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::text_of;

class DraftTest : public ::testing::Test {
 protected:
  std::unique_ptr<Draft> draft() const { return std::make_unique<Draft>(room_); }

  TemporaryDirectory directory_;
  std::shared_ptr<RoomBeside> room_ = std::make_shared<RoomBeside>(directory_.path(), 8 * kMiB);
};

TEST_F(DraftTest, GivesBackWhatWasWrittenWhereverItLies) {
  for (const size_t size : {size_t{1}, size_t{1000}, size_t{kMiB}, size_t{3 * kMiB + 7}}) {
    const std::string text = testing::patterned(size);
    const std::unique_ptr<Draft> whole = draft();
    for (size_t at = 0; at < size; at += 700'001) {
      ASSERT_TRUE(whole->append(as_bytes(text).subspan(at, std::min<size_t>(700'001, size - at))));
    }
    const Result<ReadBytes> view = whole->finish(size);
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_EQ(text_of(*view), text);
    ASSERT_GE(view->readable_behind, storage::kDecoderPaddingBytes);
    EXPECT_EQ(view->bytes.data()[size], std::byte{0});
    EXPECT_EQ(shared_ranges().find(view->bytes).has_value(), size > kMiB);
    EXPECT_EQ(room_->used_bytes(), size);
  }
  EXPECT_EQ(room_->used_bytes(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path())) << "its files have no names";
}

TEST_F(DraftTest, TakesPartsInAnyOrder) {
  const std::string text = testing::patterned(4 * kMiB);
  const std::unique_ptr<Draft> whole = draft();
  for (const uint64_t part : {3, 0, 2, 1}) {
    ASSERT_TRUE(whole->write(part * kMiB, as_bytes(text).subspan(part * kMiB, kMiB)));
  }
  EXPECT_EQ(text_of(*whole->finish(text.size())), text);
}

TEST_F(DraftTest, WhatHasHolesIsNoObject) {
  const std::string text = testing::patterned(1000);
  const std::unique_ptr<Draft> holed = draft();
  ASSERT_TRUE(holed->write(10, as_bytes(text)));
  EXPECT_EQ(holed->finish(1010).status().code(), StatusCode::kFailedPrecondition);
  const std::unique_ptr<Draft> shorter = draft();
  ASSERT_TRUE(shorter->append(as_bytes(text)));
  EXPECT_EQ(shorter->finish(1001).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(DraftTest, WithoutRoomItKeepsNothing) {
  const std::string text = testing::patterned(5 * kMiB);
  const std::unique_ptr<Draft> first = draft();
  ASSERT_TRUE(first->append(as_bytes(text)));
  const std::unique_ptr<Draft> second = draft();
  EXPECT_FALSE(second->append(as_bytes(text)));
  EXPECT_FALSE(second->append(as_bytes(text).first(1)));
  EXPECT_EQ(second->finish(1).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(room_->used_bytes(), text.size());
  const auto full_disk =
      std::make_shared<RoomBeside>(directory_.path(), kMiB, [](uint64_t) { return false; });
  EXPECT_FALSE(Draft(full_disk).append(as_bytes(text).first(1)));
}

TEST_F(DraftTest, ADirectoryThatCannotBeWrittenCostsTheDraft) {
  const auto nowhere = std::make_shared<RoomBeside>(directory_ / "none", 8 * kMiB);
  EXPECT_FALSE(Draft(nowhere).append(as_bytes(testing::patterned(2 * kMiB))));
  EXPECT_EQ(nowhere->used_bytes(), 0u);
}

class WrittenObjectsTest : public ::testing::Test {
 protected:
  ObjectStat write_in_parts(const std::string& key, const std::string& text, size_t part_bytes) {
    const std::unique_ptr<storage::ObjectWriter> writer = *store_->open_writer(key, {});
    for (size_t at = 0; at < text.size(); at += part_bytes) {
      const Bytes part = as_bytes(text).subspan(at, std::min(part_bytes, text.size() - at));
      EXPECT_TRUE(append_now(*writer, part).ok());
    }
    return *commit_now(*writer);
  }
  void expect_cached(const ObjectStat& stat, const std::string& text) {
    cache_->flush();
    EXPECT_EQ(text_of(*read_now(*store_, {.key = stat.key})), text);
    EXPECT_EQ(text_of(*read_now(*store_, {.key = stat.key, .if_version = stat.version})), text);
    EXPECT_EQ(upstream_->read_count(), 0u);
  }

  TemporaryDirectory directory_;
  const SteppedClock clock_;
  std::shared_ptr<storage::FaultInjectingStore> upstream_ =
      std::make_shared<storage::FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  std::shared_ptr<Cache> cache_ =
      *Cache::open({.directories = {{directory_ / "cache", 64 * kMiB, 0}}, .write_behind_bytes = 4 * kMiB});
  std::shared_ptr<storage::ObjectStore> store_ = store_over(cache_, upstream_, {.clock = &clock_});
};

TEST_F(WrittenObjectsTest, PartsAreKept) {
  for (const size_t size : {size_t{10}, size_t{kMiB + 1}, size_t{9 * kMiB + 5}}) {
    const std::string text = testing::patterned(size);
    expect_cached(write_in_parts(std::to_string(size), text, 300'000), text);
  }
}

TEST_F(WrittenObjectsTest, LargeSingleWritesAreKept) {
  const std::string text = testing::patterned(9 * kMiB + 5);
  expect_cached(*write_now(*store_, "k", as_bytes(text)), text);
}

TEST_F(WrittenObjectsTest, AnEmptyObjectAndAnAbandonedOneLeaveNothing) {
  EXPECT_EQ(write_in_parts("empty", "", 1).size_bytes, 0u);
  {
    const std::unique_ptr<storage::ObjectWriter> writer = *store_->open_writer("x", {});
    ASSERT_TRUE(append_now(*writer, as_bytes(testing::patterned(3 * kMiB))).ok());
  }
  cache_->flush();
  EXPECT_EQ(cache_->statistics().entries, 0u);
  EXPECT_EQ(read_now(*store_, {.key = "x"}).status().code(), StatusCode::kNotFound);
}

// As what is kept of what is read: a quota is what the directory takes, whoever fills it.
TEST_F(WrittenObjectsTest, CountInTheQuota) {
  const std::string text = testing::patterned(3 * kMiB);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(write_now(*store_, std::to_string(i), as_bytes(text)).ok());
    cache_->flush();
  }
  const uint64_t full_bytes = cache_->statistics().disk_bytes;
  EXPECT_GT(full_bytes, 56 * kMiB);
  const std::unique_ptr<Draft> draft = cache_->new_draft();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(draft->append(as_bytes(text)));
    EXPECT_LE(cache_->statistics().disk_bytes, 64 * kMiB);
  }
  EXPECT_FALSE(draft->append(as_bytes(text)));  // beyond a fourth
  EXPECT_LE(cache_->statistics().disk_bytes, full_bytes - 8 * kMiB);
}

TEST_F(WrittenObjectsTest, DraftsAndObjectsPressForTheSameRoom) {
  const std::string text = testing::patterned(3 * kMiB);
  std::atomic<bool> is_over{false};
  std::thread drafts([&] {
    while (!is_over) {
      const std::unique_ptr<Draft> draft = cache_->new_draft();
      for (int part = 0; part < 6; ++part) {
        draft->append(as_bytes(text));  // the last is one too many
      }
    }
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(write_now(*store_, std::to_string(i), as_bytes(text)).ok());
  }
  is_over = true;
  drafts.join();
  cache_->close();
  const std::unique_ptr<Draft> late = cache_->new_draft();
  EXPECT_TRUE(late == nullptr || !late->append(as_bytes(text)));
}

TEST_F(WrittenObjectsTest, AReplacementInPartsIsWhatIsReadNext) {
  write_in_parts("k", testing::patterned(3 * kMiB), 300'000);
  const std::string second = testing::patterned(2 * kMiB);
  expect_cached(write_in_parts("k", second, 300'000), second);
}

}  // namespace
}  // namespace forebay::cache
