// A cache whose disk others have filled: it keeps nothing, says so, and fetches no more than without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "forebay/base/clock.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/drafts/room_beside.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::text_of;

constexpr uint64_t kPartBytes = 1000;
constexpr uint64_t kNobodyHasSoMuchFree = uint64_t{1} << 62;

class FullDiskTest : public ::testing::TestWithParam<size_t> {
 protected:
  std::shared_ptr<Cache> cache_that_leaves(uint64_t free_bytes) {
    return *Cache::open(
        {.directories = {
             {.path = directory_ / "cache", .quota_bytes = 64 << 20, .least_free_bytes = free_bytes}}});
  }
  /// Reads three parts of an object of `GetParam()` bytes.
  void read_parts(Cache& cache) {
    const auto bucket = std::make_shared<storage::MemoryStore>();
    const std::string content(GetParam(), 'x');
    ASSERT_TRUE(write_now(*bucket, "k", as_bytes(content)).ok());
    const std::shared_ptr<storage::ObjectStore> store = store_over(cache.shared_from_this(), bucket);
    for (const uint64_t begin : {content.size() / 2, content.size() / 3, content.size() / 2}) {
      const auto read = read_now(*store, {.key = "k", .offset_bytes = begin, .length_bytes = kPartBytes});
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(text_of(*read), content.substr(begin, kPartBytes));
    }
  }

  const TemporaryDirectory directory_;
};

TEST_P(FullDiskTest, NoMoreIsFetchedThanIsAskedFor) {
  const std::shared_ptr<Cache> cache = cache_that_leaves(kNobodyHasSoMuchFree);
  ::testing::internal::CaptureStderr();
  read_parts(*cache);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("keeps next to nothing"));
  EXPECT_EQ(cache->statistics().upstream_bytes, 3 * kPartBytes);
}

// The quota is more than the disk has, so that only a write finds out.
TEST_P(FullDiskTest, AfterAWriteFoundItFullNoMoreIsFetchedEither) {
  const auto files = std::make_shared<FaultyFiles>();
  files->set_hook([](WritePoint, ChangePhase) { return errno_status(ENOSPC, "the disk"); });
  SteppedClock clock;
  const std::shared_ptr<Cache> cache =
      *Cache::open({.directories = {{.path = directory_ / "cache", .quota_bytes = 64 << 20}},
                    .files = files,
                    .clock = &clock});
  ::testing::internal::CaptureStderr();
  read_parts(*cache);
  cache->flush();
  ::testing::internal::GetCapturedStderr();
  const uint64_t until_then = cache->statistics().upstream_bytes;
  read_parts(*cache);
  EXPECT_EQ(cache->statistics().upstream_bytes, until_then + 3 * kPartBytes);
}

TEST_P(FullDiskTest, WhereThereIsRoomWhatIsAroundItComesToo) {
  const std::shared_ptr<Cache> cache = cache_that_leaves(0);
  read_parts(*cache);
  EXPECT_GE(cache->statistics().upstream_bytes, std::min<uint64_t>(GetParam(), kChunkBytes));
}

// Nor is anything else put into a directory that the cache does not take for its own.
TEST(RoomBeside, IsOfADirectoryThatTheCacheHas) {
  const TemporaryDirectory outer;
  const std::string path = outer / "cache";
  std::filesystem::create_directory(path);
  const auto room_in = [&](std::filesystem::perms mode) {
    std::filesystem::permissions(path, mode);
    const std::shared_ptr<Cache> cache =
        *Cache::open({.directories = {{.path = path, .quota_bytes = 64 << 20, .least_free_bytes = 0}}});
    ReservedRoom room(cache->room_beside());
    return room.add(1000);
  };
  EXPECT_FALSE(room_in(std::filesystem::perms(0777)));
  EXPECT_TRUE(room_in(std::filesystem::perms(0755)));
}

// Much is added piece by piece: where it has no room nothing is held, and what is beside it never goes.
TEST(RoomBeside, IsGivenWholeOrNotAtAll) {
  const TemporaryDirectory outer;
  const std::shared_ptr<Cache> cache = *Cache::open(
      {.directories = {{.path = outer / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}}});
  const std::shared_ptr<RoomBeside>& room = cache->room_beside();
  ReservedRoom first(room);
  EXPECT_TRUE(first.add(10 << 20));
  EXPECT_EQ(room->used_bytes(), uint64_t{10} << 20);
  EXPECT_FALSE(first.add(7 << 20)) << "a quarter of the quota is for this";
  EXPECT_EQ(room->used_bytes(), uint64_t{10} << 20);
  EXPECT_TRUE(cache->core()->may_keep(kChunkBytes));
  EXPECT_FALSE(cache->core()->may_keep(60 << 20)) << "what is beside it stays";
}

INSTANTIATE_TEST_SUITE_P(Sizes, FullDiskTest, ::testing::Values(size_t{500'000}, size_t{3} << 20));

}  // namespace
}  // namespace forebay::cache
