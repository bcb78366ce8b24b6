#include "forebay/storage/remote/range_planning_store.h"

#include <set>

#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/remote/range_plan.h"
#include "forebay/storage/remote/straggler.h"
#include "forebay/storage/testing/hooked_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/threads_store.h"
#include "forebay/storage/testing/weak_store.h"

namespace forebay::storage {
namespace {

struct PlanningFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<RangePlanningStore>(
      std::make_shared<ThreadsStore>(std::make_shared<MemoryStore>()), std::make_shared<CostModel>());
};
FOREBAY_TEST_OBJECT_STORE(RangePlanning, PlanningFixture);

TEST(CostModel, TimesOfTheLongestReadsDoNotOverflow) {
  const auto costs = std::make_shared<CostModel>();
  EXPECT_GT(costs->expected_ns(kToEnd - 1), costs->expected_ns(1 << 30));
  StragglerWatch watch(costs);
  for (int i = 0; i < 64; ++i) {
    watch.observe(1, int64_t{1} << 60);
  }
  EXPECT_GT(watch.patience_ns(kToEnd - 1).value_or(0), *watch.patience_ns(1) / 2);
}

TEST(CostModel, LearnsFromAnswers) {
  CostModel costs;
  for (int i = 0; i < 100; ++i) {
    costs.observe(5'000'000, 10'000'000, 1'000'000);  // 5 ms, 100 MB/s
  }
  EXPECT_NEAR(static_cast<double>(costs.latency_ns()), 5e6, 1e4);
  EXPECT_NEAR(costs.bytes_per_second(), 1e8, 1e6);
  EXPECT_NEAR(static_cast<double>(costs.bytes_worth_a_request()), 5e5, 1e4);
  EXPECT_EQ(costs.parts_of(1'000'000, 8), 1u);
  EXPECT_EQ(costs.parts_of(5'000'000, 8), 4u);
  EXPECT_EQ(costs.parts_of(1'000'000'000, 8), 8u);
  EXPECT_NEAR(static_cast<double>(costs.expected_ns(1'000'000)), 15e6, 2e5);
}

TEST(JoinRanges, JoinsWhatIsClose) {
  const std::vector<ReadRequest> requests = {{.key = "k", .offset_bytes = 100, .length_bytes = 10},
                                             {.key = "k", .offset_bytes = 0, .length_bytes = 10},
                                             {.key = "k", .offset_bytes = 15, .length_bytes = 5},
                                             {.key = "l", .offset_bytes = 20, .length_bytes = 5},
                                             {.key = "k", .offset_bytes = 12, .length_bytes = 4}};
  const std::vector<JoinedRange> joined = join_ranges(requests, {.gap_bytes = 10});
  ASSERT_EQ(joined.size(), 3u);
  EXPECT_EQ(joined[0].offset_bytes, 0u);
  EXPECT_EQ(joined[0].length_bytes, 20u);
  EXPECT_EQ(joined[0].requests, (std::vector<size_t>{1, 4, 2}));
  EXPECT_EQ(joined[1].requests, std::vector<size_t>{0});
  EXPECT_EQ(joined[2].requests, std::vector<size_t>{3});
}

TEST(JoinRanges, LeavesAloneWhatMustBe) {
  const std::vector<ReadRequest> requests = {{.key = "k", .length_bytes = 10},
                                             {.key = "k", .length_bytes = kToEnd},
                                             {.key = "k", .length_bytes = 0},
                                             {.key = "k", .length_bytes = 10, .only_resident = true},
                                             {.key = "k", .length_bytes = 10, .if_version = "v"},
                                             {.key = "k", .offset_bytes = kToEnd - 5, .length_bytes = 5},
                                             {.key = "k", .offset_bytes = 10, .length_bytes = 2 << 20}};
  std::set<size_t> seen;
  for (const JoinedRange& range : join_ranges(requests, {.gap_bytes = 100})) {
    EXPECT_EQ(range.requests.size(), 1u);
    seen.insert(range.requests.begin(), range.requests.end());
  }
  EXPECT_EQ(seen.size(), requests.size());
}

class RangePlanningStoreTest : public ::testing::Test {
 protected:
  RangePlanningStoreTest() {
    for (size_t i = 0; i < content_.size(); ++i) {
      content_[i] = static_cast<char>(i * 31 + i / 4096);
    }
    write_now(*faults_, "k", as_bytes(content_)).IgnoreError();
    for (int i = 0; i < 100; ++i) {
      costs_->observe(1'000'000, 10'000'000, 1'000'000);  // 1 ms, 100 MB/s: 100 KB are worth a request
    }
  }

  std::string content_ = std::string(10'000'000, '\0');
  std::shared_ptr<FaultInjectingStore> faults_ =
      std::make_shared<FaultInjectingStore>(std::make_shared<MemoryStore>());
  std::shared_ptr<CostModel> costs_ = std::make_shared<CostModel>();
  RangePlanningStore store_{faults_, costs_, {.most_parts = 4}};
};

TEST_F(RangePlanningStoreTest, NeighboursAreOneRequest) {
  std::vector<ReadRequest> requests;
  std::vector<std::byte> memory(200);
  for (uint64_t i = 0; i < 20; ++i) {
    requests.push_back(
        {.key = "k", .offset_bytes = 1000 + i * 5000, .length_bytes = 100 + i, .padding_bytes = 64});
  }
  requests[7].into = memory;
  requests[9].resource = memory::host_pool();
  const std::vector<Result<ReadBytes>> reads = read_many_now(store_, requests);
  for (size_t i = 0; i < reads.size(); ++i) {
    ASSERT_TRUE(reads[i].ok()) << reads[i].status();
    EXPECT_EQ(text_of(*reads[i]), content_.substr(1000 + i * 5000, 100 + i));
    EXPECT_GE(reads[i]->readable_behind, 64u);
  }
  EXPECT_EQ(reads[7]->bytes.data(), memory.data());
  EXPECT_EQ(faults_->read_count(), 1u);
}

TEST_F(RangePlanningStoreTest, ARangePastTheEndFailsAlone) {
  const std::vector<Result<ReadBytes>> reads =
      read_many_now(store_, {{.key = "k", .offset_bytes = 9'999'000, .length_bytes = 10},
                             {.key = "k", .offset_bytes = 9'999'500, .length_bytes = 1000}});
  EXPECT_EQ(text_of(*reads[0]), content_.substr(9'999'000, 10));
  EXPECT_EQ(reads[1].status().code(), StatusCode::kOutOfRange);
}

TEST_F(RangePlanningStoreTest, AStoreThatIsGoneIsNotAskedForEach) {
  faults_->fail_reads("k", unavailable("scripted"));
  for (const Result<ReadBytes>& read :
       read_many_now(store_, std::vector<ReadRequest>(10, {.key = "k", .length_bytes = 10}))) {
    EXPECT_EQ(read.status().code(), StatusCode::kUnavailable);
  }
  EXPECT_EQ(faults_->read_count(), 1u);
}

TEST_F(RangePlanningStoreTest, LongRangesComeInParts) {
  const Result<ReadBytes> read =
      read_now(store_, {.key = "k", .offset_bytes = 3, .length_bytes = 9'000'001, .padding_bytes = 64});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(text_of(*read) == content_.substr(3, 9'000'001));
  EXPECT_FALSE(read->version.empty());
  EXPECT_EQ(read->readable_behind, 64u);
  EXPECT_EQ(faults_->read_count(), 4u);
}

TEST_F(RangePlanningStoreTest, WhatAVersionDoesNotProveIsKnownOfJoinedAndOfPartedReads) {
  RangePlanningStore store(std::make_shared<WeakStore>(faults_), costs_, {.most_parts = 4});
  std::vector<std::byte> memory(200);
  std::vector<ReadRequest> requests = {{.key = "k", .length_bytes = 8'000'000},
                                       {.key = "k", .length_bytes = 100},
                                       {.key = "k", .offset_bytes = 200, .length_bytes = 100},
                                       {.key = "k", .offset_bytes = 400, .length_bytes = 100}};
  requests[2].into = memory;
  requests[3].resource = memory::host_pool();
  for (const Result<ReadBytes>& read : read_many_now(store, requests)) {
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(read->has_weak_version) << read->size_bytes();
  }
}

TEST_F(RangePlanningStoreTest, PartsOfTwoVersionsAreNoAnswer) {
  auto changing = std::make_shared<HookedStore>(faults_);
  changing->after_read = [&](const ReadRequest& request) {
    if (request.offset_bytes == 0) {
      write_now(*faults_, "k", as_bytes(content_)).IgnoreError();
    }
  };
  RangePlanningStore store(changing, costs_, {.most_parts = 4});
  const Status mixed = read_now(store, {.key = "k", .length_bytes = 8'000'000}).status();
  EXPECT_EQ(mixed.code(), StatusCode::kAborted) << mixed;
}

TEST_F(RangePlanningStoreTest, APartThatFailsFailsTheRead) {
  faults_->fail_reads("k", unavailable("scripted"), 1);
  EXPECT_EQ(read_now(store_, {.key = "k", .length_bytes = 8'000'000}).status().code(),
            StatusCode::kUnavailable);
}

}  // namespace
}  // namespace forebay::storage
