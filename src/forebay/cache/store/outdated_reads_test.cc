// Reads of an object whose version is known from long ago: the read itself says whether it is still the one.
#include <gtest/gtest.h>

#include <string>

#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::read_now;
using storage::ReadBytes;
using storage::stat_now;
using storage::text_of;

class CountedStats final : public storage::ForwardingStore {
 public:
  explicit CountedStats(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override {
    ++asked;
    ForwardingStore::stat(std::move(key), context, std::move(done));
  }

  int asked = 0;
};

class OutdatedReadsTest : public ::testing::Test {
 protected:
  void put(const std::string& content) { ASSERT_TRUE(write_now(*bucket_, "k", as_bytes(content)).ok()); }
  /// The store learns of the object, and then too much time passes to trust in that.
  void learn() {
    ASSERT_TRUE(stat_now(*store_, "k").ok());
    pass_a_second();
    stats_->asked = 0;
  }
  void pass_a_second() { clock_.advance_ns(1'000'000'000); }
  Result<std::string> get(storage::ReadRequest request) {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read, read_now(*store_, std::move(request)));
    return text_of(read);
  }

  SteppedClock clock_;
  std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> reads_ =
      std::make_shared<storage::FaultInjectingStore>(bucket_);
  std::shared_ptr<CountedStats> stats_ = std::make_shared<CountedStats>(reads_);
  std::shared_ptr<Cache> cache_ = *Cache::open({.memory_bytes = 8 << 20});
  std::shared_ptr<storage::ObjectStore> store_ =
      store_over(cache_, stats_, {.trusted_ns = 1'000'000'000, .clock = &clock_});
};

TEST_F(OutdatedReadsTest, WhatIsNotHereIsReadWithoutAQuestion) {
  const std::string content = testing::patterned(1000);
  put(content);
  learn();
  EXPECT_EQ(get({.key = "k", .offset_bytes = 10, .length_bytes = 20}).value(), content.substr(10, 20));
  EXPECT_EQ(get({.key = "k"}).value(), content);
  EXPECT_EQ(stats_->asked, 0);
  EXPECT_EQ(reads_->read_count(), 1u);
}

TEST_F(OutdatedReadsTest, WhatIsHereIsAskedForBeforeItIsGiven) {
  put("first");
  learn();
  EXPECT_EQ(get({.key = "k"}).value(), "first");
  pass_a_second();
  put("second");
  EXPECT_EQ(get({.key = "k"}).value(), "second");
  EXPECT_EQ(stats_->asked, 1);
}

TEST_F(OutdatedReadsTest, AnotherVersionIsFoundOut) {
  put("old");
  learn();
  put("new and longer");
  EXPECT_EQ(get({.key = "k"}).value(), "new and longer");
  EXPECT_EQ(stats_->asked, 1);
}

TEST_F(OutdatedReadsTest, WhatLiesBehindTheOldEndIsRead) {
  put("old");
  learn();
  put("new and longer");
  EXPECT_EQ(get({.key = "k", .offset_bytes = 8}).value(), "longer");
  EXPECT_EQ(get({.key = "k", .offset_bytes = 4, .length_bytes = 3}).value(), "and");
}

TEST_F(OutdatedReadsTest, AShorterVersionIsFoundOut) {
  put("old and longer");
  learn();
  put("new");
  EXPECT_EQ(get({.key = "k", .offset_bytes = 1}).value(), "ew");
  pass_a_second();
  EXPECT_EQ(get({.key = "k", .offset_bytes = 8}).status().code(), StatusCode::kOutOfRange);
}

TEST_F(OutdatedReadsTest, WhatIsGoneIsNotFound) {
  put("old");
  learn();
  ASSERT_TRUE(remove_now(*bucket_, "k").ok());
  EXPECT_EQ(get({.key = "k"}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(get({.key = "k"}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(reads_->read_count(), 1u);
  EXPECT_EQ(stats_->asked, 0);
}

TEST_F(OutdatedReadsTest, AReadThatBeganEarlierDoesNotVouchForIt) {
  put("old");
  learn();
  reads_->hold_reads();
  std::string first;
  std::string second;
  store_->read({.key = "k"}, {}, [&](Result<ReadBytes> read) { first = text_of(*read); });
  pass_a_second();
  store_->read({.key = "k"}, {}, [&](Result<ReadBytes> read) { second = text_of(*read); });
  EXPECT_EQ(stats_->asked, 1);
  reads_->release_reads();
  EXPECT_EQ(first, "old");
  EXPECT_EQ(second, "old");
}

}  // namespace
}  // namespace forebay::cache
