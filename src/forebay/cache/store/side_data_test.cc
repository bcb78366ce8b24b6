#include "forebay/cache/store/side_data.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::ObjectAddress;
using storage::text_of;

class SideDataTest : public ::testing::Test {
 protected:
  ~SideDataTest() override { close(); }

  void close() {
    store_.reset();
    if (cache_) {
      cache_->close();
      cache_.reset();
    }
  }
  void open() {
    close();
    CacheOptions options;
    options.directories = {{.path = directory_ / "cache", .quota_bytes = 8 * kMiB, .least_free_bytes = 0}};
    options.admission = {{.prefix = "", .is_cached = false}};
    options.unix_seconds = [this] { return now_s_.load(); };
    Result<std::shared_ptr<Cache>> opened = Cache::open(options);
    while (opened.status().code() == StatusCode::kFailedPrecondition) {
      std::this_thread::yield();  // whoever answered the last read lets go of the earlier one's directory
      opened = Cache::open(options);
    }
    cache_ = *std::move(opened);
    store_ = store_over(cache_, upstream_);
  }
  ObjectAddress side(const std::string& version = "v1", const std::string& key = "k") {
    return *store_->derived(key, version, "table");
  }
  static Status write(const ObjectAddress& side, const std::string& text) {
    return storage::write_now(*side.store, side.key, as_bytes(text)).status();
  }
  static Result<std::string> read(const ObjectAddress& side) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*side.store, {.key = side.key}));
    return text_of(read);
  }

  TemporaryDirectory directory_;
  std::atomic<uint32_t> now_s_ = 1'000'000;
  const std::shared_ptr<storage::MemoryStore> upstream_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<storage::ObjectStore> store_;
};

// No user's rule is about it.
TEST_F(SideDataTest, LiesInTheCacheAlsoAfterARestart) {
  open();
  EXPECT_EQ(read(side()).status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(write(side(), "a table").ok());
  EXPECT_EQ(*read(side()), "a table");
  EXPECT_EQ(read(side("v2")).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(read(side("v1", "l")).status().code(), StatusCode::kNotFound);
  open();
  EXPECT_EQ(*read(side()), "a table");
  EXPECT_EQ(cache_->statistics().entries, 1u);
  EXPECT_TRUE(storage::list_all_now(*upstream_, {})->objects.empty());
}

TEST_F(SideDataTest, LongOnesAreKeptAsAWhole) {
  open();
  const std::string text(3 * kMiB + 5, 't');
  ASSERT_TRUE(write(side(), text).ok());
  cache_->flush();
  EXPECT_TRUE(*read(side()) == text);
}

TEST_F(SideDataTest, CountsInTheQuota) {
  open();
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(write(side("v", std::to_string(i)), std::string(kMiB, 't')).ok());
    cache_->flush();
    EXPECT_LE(cache_->statistics().disk_bytes, 8 * kMiB);
  }
  EXPECT_GT(cache_->statistics().evictions, 0u);
}

TEST_F(SideDataTest, GoesSomeDay) {
  open();
  ASSERT_TRUE(write(side(), "a table").ok());
  now_s_ += 30 * 24 * 60 * 60 - 1;
  EXPECT_EQ(*read(side()), "a table");
  now_s_ += 1;
  EXPECT_EQ(read(side()).status().code(), StatusCode::kNotFound);
}

TEST_F(SideDataTest, WhatIsClosedForwards) {
  open();
  cache_->close();
  const Result<ObjectAddress> place = store_->derived("k", "v1", "table");
  ASSERT_TRUE(place.ok());  // the store beneath has a place of its own
  EXPECT_TRUE(place->uri().starts_with("mem://"));
}

}  // namespace
}  // namespace forebay::cache
