// Who waits for whom among sessions: waits begin on threads of their own, one after the other.
#include "forebay/pipeline/core/waiting_sessions.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "forebay/pipeline/testing/noting_session.h"

namespace forebay::pipeline {
namespace {

using testing::NotingSession;

class WaitingSessionsTest : public ::testing::Test {
 protected:
  SessionBatch batch_of(int session, int64_t iteration, int phase = 0, int64_t stream_begin = 0) {
    return {.session = &sessions_[session],
            .phase = phase,
            .iteration = iteration,
            .stream_begin = stream_begin != 0 ? stream_begin : 8 * iteration};
  }

  NotingSession sessions_[4];
};

/// Begins a wait in a source or function that works on a batch.
std::unique_ptr<BatchWait> wait_in(const SessionBatch& working, const SessionBatch& awaited) {
  std::unique_ptr<BatchWait> wait;
  std::thread([&] {
    const UserWork work(working);
    wait = std::make_unique<BatchWait>(awaited);
  }).join();
  return wait;
}

TEST_F(WaitingSessionsTest, ARingIsToldToWhoClosesIt) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const auto second = wait_in(batch_of(1, 0), batch_of(2, 5));
  EXPECT_TRUE(first->status().ok() && second->status().ok());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(wait_in(batch_of(2, 4), batch_of(0, 3))->status().code(), StatusCode::kFailedPrecondition);
    EXPECT_EQ(wait_in(batch_of(2, 5), batch_of(0, 7))->status().code(), StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(wait_in(batch_of(0, 3), batch_of(0, 3))->status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(WaitingSessionsTest, TheSessionsOfARingEndAndNoOthers) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const auto aside =
      wait_in(batch_of(1, 0), batch_of(3, 0));  // 1 waits for 3 as well, which waits for nobody
  const auto second = wait_in(batch_of(1, 0), batch_of(2, 5));
  for (const NotingSession& session : sessions_) {
    EXPECT_TRUE(session.errors().empty());
  }
  const auto last = wait_in(batch_of(2, 4), batch_of(0, 3));
  for (int session = 0; session < 3; ++session) {
    ASSERT_EQ(sessions_[session].errors().size(), 1);
    EXPECT_EQ(sessions_[session].errors()[0], last->status());
  }
  EXPECT_TRUE(sessions_[3].errors().empty());
}

TEST_F(WaitingSessionsTest, OfWorkThatNestsTheRingHasWhatLiesWithin) {
  const auto other = wait_in(batch_of(2, 0), batch_of(1, 0));
  std::thread([&] {
    const UserWork outermost(batch_of(0, 0));
    const UserWork outer(batch_of(1, 0));
    const UserWork inner(batch_of(3, 0));
    EXPECT_FALSE(BatchWait(batch_of(2, 0)).status().ok());
  }).join();
  EXPECT_TRUE(sessions_[0].errors().empty()) << "it can go on when those within are told";
  for (int session = 1; session < 4; ++session) {
    EXPECT_EQ(sessions_[session].errors().size(), 1) << session;
  }
}

TEST_F(WaitingSessionsTest, WhatIsAheadOfTheRingGoesOn) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const auto second = wait_in(batch_of(1, 0), batch_of(2, 5));
  EXPECT_TRUE(wait_in(batch_of(2, 6), batch_of(0, 3))->status().ok()) << "batch 5 does not need it";
  EXPECT_TRUE(wait_in(batch_of(2, 4), batch_of(0, 2))->status().ok()) << "batch 2 is past its source";
}

TEST_F(WaitingSessionsTest, AWaitThatHasEndedCountsNoMore) {
  auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  EXPECT_FALSE(wait_in(batch_of(1, 0), batch_of(0, 3))->status().ok());
  first.reset();
  EXPECT_TRUE(wait_in(batch_of(1, 0), batch_of(0, 3))->status().ok());
}

TEST_F(WaitingSessionsTest, OutsideSourcesAndFunctionsAnybodyMayWait) {
  const auto first = wait_in(batch_of(0, 3), batch_of(1, 0));
  const BatchWait wait(batch_of(0, 3));
  EXPECT_TRUE(wait.status().ok());
}

TEST_F(WaitingSessionsTest, BatchesOfLaterPhasesNeedEarlierOnesByTheirPlace) {
  const auto first = wait_in(batch_of(0, 3, /*phase=*/0, 24), batch_of(1, 0));
  EXPECT_TRUE(wait_in(batch_of(1, 0), batch_of(0, 9, /*phase=*/1, 16))->status().ok());
  EXPECT_FALSE(wait_in(batch_of(1, 0), batch_of(0, 9, /*phase=*/1, 24))->status().ok());
  const auto later = wait_in(batch_of(2, 9, /*phase=*/1, 16), batch_of(1, 0));
  EXPECT_TRUE(wait_in(batch_of(1, 0), batch_of(2, 3, /*phase=*/0, 24))->status().ok());
}

TEST_F(WaitingSessionsTest, WorkNests) {
  std::thread([&] {
    const UserWork outer(batch_of(0, 0));
    const UserWork inner(batch_of(1, 0));
    EXPECT_FALSE(BatchWait(batch_of(0, 0)).status().ok());
    EXPECT_FALSE(BatchWait(batch_of(1, 0)).status().ok());
    EXPECT_TRUE(BatchWait(batch_of(2, 0)).status().ok());
  }).join();
}

}  // namespace
}  // namespace forebay::pipeline
