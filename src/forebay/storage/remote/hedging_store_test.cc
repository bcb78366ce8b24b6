#include "forebay/storage/remote/hedging_store.h"

#include <stop_token>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/units.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::storage {
namespace {

struct HedgingFixture {
  std::shared_ptr<ObjectStore> store =
      std::make_shared<HedgingStore>(std::make_shared<ThreadsStore>(std::make_shared<MemoryStore>()),
                                     std::make_shared<CostModel>(), HedgingOptions{.most_hedged = 1});
};
FOREBAY_TEST_OBJECT_STORE(Hedging, HedgingFixture);

class HedgingStoreTest : public ::testing::Test {
 protected:
  HedgingStoreTest() {
    const std::string content = "0123456789";
    write_now(*faults_, "k", as_bytes(content)).IgnoreError();
    for (int i = 0; i < 100; ++i) {  // each at once, by the stepped clock
      EXPECT_TRUE(read_now(store_, ask()).ok());
    }
    faults_->forget_reads();
    faults_->hold_reads();
  }

  static ReadRequest ask() { return {.key = "k", .offset_bytes = 2, .length_bytes = 5}; }
  void start_read(ReadRequest request, const CallContext& context = {}) {
    store_.read(std::move(request), context, [this](Result<ReadBytes> read) {
      ASSERT_FALSE(answer_);
      answer_ = std::move(read);
    });
  }

  SteppedTimer timer_;
  std::shared_ptr<FaultInjectingStore> faults_ =
      std::make_shared<FaultInjectingStore>(std::make_shared<MemoryStore>());
  HedgingStore store_{faults_, std::make_shared<CostModel>(), {}, timer_};
  std::optional<Result<ReadBytes>> answer_;
};

TEST_F(HedgingStoreTest, AStragglerIsAskedForTwice) {
  start_read(ask());
  EXPECT_EQ(faults_->held_reads(), 1u);
  timer_.advance_ns(kSecond);
  ASSERT_EQ(faults_->held_reads(), 2u);
  EXPECT_EQ(store_.hedged_reads(), 1u);
  EXPECT_TRUE(faults_->step(1));  // the second answers first
  ASSERT_TRUE(answer_ && answer_->ok());
  EXPECT_EQ(text_of(**answer_), "23456");
  EXPECT_TRUE(faults_->reads()[0].context.cancellation.stop_requested());
  EXPECT_TRUE(faults_->step());
}

TEST_F(HedgingStoreTest, TheCallersMemoryIsNotGivenBackTooEarly) {
  std::vector<std::byte> memory(5);
  ReadRequest request = ask();
  request.into = memory;
  start_read(request);
  timer_.advance_ns(kSecond);
  ASSERT_EQ(faults_->held_reads(), 2u);
  std::ranges::fill(memory, std::byte{0});
  EXPECT_TRUE(faults_->step(1));
  EXPECT_FALSE(answer_);  // the first request may still write there
  EXPECT_TRUE(faults_->step());
  ASSERT_TRUE(answer_ && answer_->ok());
  EXPECT_EQ((*answer_)->bytes.data(), memory.data());
  EXPECT_EQ(text_of(**answer_), "23456");
}

TEST_F(HedgingStoreTest, OneFailureWaitsForTheOtherAnswer) {
  faults_->fail_reads("k", unavailable("scripted"), 1);
  start_read(ask());
  timer_.advance_ns(kSecond);
  EXPECT_TRUE(faults_->step());
  EXPECT_FALSE(answer_);
  EXPECT_TRUE(faults_->step());
  ASSERT_TRUE(answer_ && answer_->ok());
}

TEST_F(HedgingStoreTest, TwoFailuresAreOne) {
  faults_->fail_reads("k", unavailable("scripted"), 2);
  start_read(ask());
  timer_.advance_ns(kSecond);
  EXPECT_TRUE(faults_->step(1));
  EXPECT_FALSE(answer_);
  EXPECT_TRUE(faults_->step());
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->status().code(), StatusCode::kUnavailable);
}

TEST_F(HedgingStoreTest, PrefetchIsNotAskedForTwice) {
  start_read(ask(), {.priority = Priority::kPrefetch});
  timer_.advance_ns(kSecond);
  EXPECT_EQ(faults_->held_reads(), 1u);
  EXPECT_TRUE(faults_->step());
  EXPECT_TRUE(answer_ && answer_->ok());
}

TEST_F(HedgingStoreTest, FewAreAskedForTwice) {
  for (int i = 0; i < 100; ++i) {
    store_.read(ask(), {}, [](const Result<ReadBytes>&) {});
  }
  timer_.advance_ns(kSecond);
  EXPECT_EQ(store_.hedged_reads(), 10u);  // of the 200 reads so far
  faults_->release_reads();
}

TEST_F(HedgingStoreTest, CancellationReachesBoth) {
  std::stop_source stop;
  start_read(ask(), {.cancellation = stop.get_token()});
  timer_.advance_ns(kSecond);
  stop.request_stop();
  EXPECT_TRUE(faults_->step());
  EXPECT_FALSE(answer_);
  EXPECT_TRUE(faults_->step());
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->status().code(), StatusCode::kCancelled);
}

TEST_F(HedgingStoreTest, WhatIsQuickIsAskedForOnce) {
  start_read(ask());
  EXPECT_TRUE(faults_->step());
  timer_.advance_ns(kSecond);
  EXPECT_EQ(store_.hedged_reads(), 0u);
  EXPECT_EQ(faults_->read_count(), 1u);
}

}  // namespace
}  // namespace forebay::storage
