// Who reads first where the memory of reads is short.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/store/read_gate.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::Priority;
using storage::ReadBytes;
using ::testing::ElementsAre;

constexpr uint64_t kUrgentBytes = 80'000;

/// There is room for one read at a time, and "first" has it.
class UrgentReadsTest : public ::testing::Test {
 protected:
  UrgentReadsTest() {
    CacheOptions options;
    options.directories = {{.path = directory_ / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}};
    options.read_gate = gate_;
    cache_ = *Cache::open(options);
    store_ = store_over(cache_, upstream_, {});
    for (const char* const key : {"first", "second", "third"}) {
      EXPECT_TRUE(write_now(*bucket_, key, storage::as_bytes(testing::patterned(kUrgentBytes))).ok());
    }
    upstream_->hold_reads();
    read("first", Priority::kDemand);
  }

  void read(const std::string& key, Priority priority, std::stop_token cancellation = {}) {
    const std::string version = storage::stat_now(*bucket_, key, {})->version;
    store_->read({.key = key, .length_bytes = kUrgentBytes, .if_version = version},
                 {.cancellation = std::move(cancellation), .priority = priority},
                 [this](const Result<ReadBytes>& read) {
                   right_ += read.ok() && text_of(*read) == testing::patterned(kUrgentBytes);
                 });
  }

  std::vector<std::string> read_upstream() const {
    std::vector<std::string> keys;
    for (const storage::FaultInjectingStore::ReadRecord& read : upstream_->reads()) {
      keys.push_back(read.key);
    }
    return keys;
  }

  TemporaryDirectory directory_;
  std::shared_ptr<ReadGate> gate_ = std::make_shared<ReadGate>(kUrgentBytes + 1, [] { return uint64_t{0}; });
  std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> upstream_ =
      std::make_shared<storage::FaultInjectingStore>(bucket_);
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<storage::ObjectStore> store_;
  int right_ = 0;
};

TEST_F(UrgentReadsTest, DemandGoesBeforeWhatIsFetchedAhead) {
  read("second", Priority::kPrefetch);
  read("third", Priority::kDemand);
  upstream_->step();
  EXPECT_THAT(read_upstream(), ElementsAre("first", "third"));
  upstream_->release_reads();
  EXPECT_THAT(read_upstream(), ElementsAre("first", "third", "second"));
  EXPECT_EQ(right_, 3);
}

class UrgentReadsOfTest : public UrgentReadsTest, public ::testing::WithParamInterface<Priority> {};

TEST_P(UrgentReadsOfTest, WhatCanWaitGoesFirstOnceSomebodyWaitsForIt) {
  read("second", Priority::kPrefetch);
  read("third", GetParam());
  read("third", Priority::kDemand);
  upstream_->step();
  EXPECT_THAT(read_upstream(), ElementsAre("first", "third"));
  EXPECT_EQ(upstream_->reads().back().context.priority, Priority::kDemand);
  upstream_->release_reads();
  EXPECT_THAT(read_upstream(), ElementsAre("first", "third", "second"));
  EXPECT_EQ(right_, 4);
  EXPECT_EQ(gate_->waiting(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, UrgentReadsOfTest, ::testing::Values(Priority::kPrefetch, Priority::kBulk));

TEST_F(UrgentReadsTest, WhoGoesAwayLeavesTheOtherTurn) {
  std::stop_source stop;
  read("second", Priority::kBulk);
  read("second", Priority::kDemand, stop.get_token());
  stop.request_stop();
  upstream_->release_reads();
  EXPECT_THAT(read_upstream(), ElementsAre("first", "second"));
  EXPECT_EQ(right_, 2);
  EXPECT_EQ(gate_->waiting(), 0u);
}

}  // namespace
}  // namespace forebay::cache
