// A cache whose disk others have filled: it keeps nothing, says so, and fetches no more than without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
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
    const std::shared_ptr<storage::ObjectStore> store = cache.store_over(bucket);
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

TEST_P(FullDiskTest, WhereThereIsRoomWhatIsAroundItComesToo) {
  const std::shared_ptr<Cache> cache = cache_that_leaves(0);
  read_parts(*cache);
  EXPECT_GE(cache->statistics().upstream_bytes, std::min<uint64_t>(GetParam(), kChunkBytes));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FullDiskTest, ::testing::Values(size_t{500'000}, size_t{3} << 20));

}  // namespace
}  // namespace forebay::cache
