// Who waits for whom among sessions: waits begin on threads of their own, one after the other.
#include "forebay/pipeline/waiting_sessions.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace forebay::pipeline {
namespace {

const char kSessions[3] = {};

SessionBatch batch_of(int session, int64_t iteration, int phase = 0, int64_t stream_begin = 0) {
  return {.session = &kSessions[session],
          .phase = phase,
          .iteration = iteration,
          .stream_begin = stream_begin != 0 ? stream_begin : 8 * iteration};
}

/// Begins a wait in a source or function that works on a batch.
std::unique_ptr<BatchWait> wait_in(const SessionBatch& working, const SessionBatch& awaited) {
  std::unique_ptr<BatchWait> wait;
  std::thread([&] {
    const UserWork work(working);
    wait = std::make_unique<BatchWait>(awaited);
  }).join();
  return wait;
}

TEST(WaitingSessionsTest, ARingIsToldToWhoClosesIt) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const auto second = wait_in(batch_of(1, 0), batch_of(2, 5));
  EXPECT_TRUE(first->status().ok() && second->status().ok());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(wait_in(batch_of(2, 4), batch_of(0, 3))->status().code(), StatusCode::kFailedPrecondition);
    EXPECT_EQ(wait_in(batch_of(2, 5), batch_of(0, 7))->status().code(), StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(wait_in(batch_of(0, 3), batch_of(0, 3))->status().code(), StatusCode::kFailedPrecondition);
}

TEST(WaitingSessionsTest, WhatIsAheadOfTheRingGoesOn) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const auto second = wait_in(batch_of(1, 0), batch_of(2, 5));
  EXPECT_TRUE(wait_in(batch_of(2, 6), batch_of(0, 3))->status().ok()) << "batch 5 does not need it";
  EXPECT_TRUE(wait_in(batch_of(2, 4), batch_of(0, 2))->status().ok()) << "batch 2 is past its source";
}

TEST(WaitingSessionsTest, AWaitThatHasEndedCountsNoMore) {
  auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  EXPECT_FALSE(wait_in(batch_of(1, 0), batch_of(0, 3))->status().ok());
  first.reset();
  EXPECT_TRUE(wait_in(batch_of(1, 0), batch_of(0, 3))->status().ok());
}

TEST(WaitingSessionsTest, OutsideSourcesAndFunctionsAnybodyMayWait) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const BatchWait wait(batch_of(0, 3));
  EXPECT_TRUE(wait.status().ok());
}

TEST(WaitingSessionsTest, BatchesOfLaterPhasesNeedEarlierOnesByTheirPlace) {
  const auto first = wait_in(batch_of(0, 3, /*phase=*/0, 24), batch_of(1, 0));
  EXPECT_TRUE(wait_in(batch_of(1, 0), batch_of(0, 9, /*phase=*/1, 16))->status().ok());
  EXPECT_FALSE(wait_in(batch_of(1, 0), batch_of(0, 9, /*phase=*/1, 24))->status().ok());
  const auto later = wait_in(batch_of(2, 9, /*phase=*/1, 16), batch_of(1, 0));
  EXPECT_TRUE(wait_in(batch_of(1, 0), batch_of(2, 3, /*phase=*/0, 24))->status().ok());
}

TEST(WaitingSessionsTest, WorkNests) {
  std::thread([] {
    const UserWork outer(batch_of(0, 0));
    const UserWork inner(batch_of(1, 0));
    EXPECT_FALSE(BatchWait(batch_of(0, 0)).status().ok());
    EXPECT_FALSE(BatchWait(batch_of(1, 0)).status().ok());
    EXPECT_TRUE(BatchWait(batch_of(2, 0)).status().ok());
  }).join();
}

}  // namespace
}  // namespace forebay::pipeline
