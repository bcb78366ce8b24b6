#include "forebay/pipeline/requests/pending_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RequestRef request_of(int64_t number, int64_t deadline_ns = kNoDeadline) {
  auto job = std::make_shared<RequestJob>(1, 1, 1);
  job->number = number;
  job->deadline_ns = deadline_ns;
  job->answer = [](const Result<std::vector<tensor::Tensor>>&) {};
  return job;
}

TEST(PendingRequestsTest, TakesNoMoreThanItMay) {
  PendingRequests pending(2);
  const RequestRef first = request_of(0);
  EXPECT_TRUE(*pending.add(first));
  EXPECT_TRUE(*pending.add(request_of(1)));
  EXPECT_EQ(pending.add(request_of(2)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(pending.take_answer(first.get()));
  EXPECT_TRUE(*pending.add(request_of(3)));
}

TEST(PendingRequestsTest, WhatHasItsAnswerAndStillRunsIsBoundedToo) {
  PendingRequests pending(2);
  std::vector<RequestRef> slow;
  for (int64_t number = 0; number < 4; ++number) {
    slow.push_back(request_of(number));
    ASSERT_TRUE(pending.add(slow.back()).ok()) << number;
    EXPECT_TRUE(pending.take_answer(slow.back().get()));  // as where its deadline passes
  }
  EXPECT_EQ(pending.add(request_of(4)).status().code(), StatusCode::kResourceExhausted);
  pending.end(slow[0]);
  EXPECT_TRUE(pending.add(request_of(5)).ok());
}

TEST(PendingRequestsTest, AnAnswerIsTakenOnce) {
  PendingRequests pending(2);
  const RequestRef job = request_of(0);
  ASSERT_TRUE(pending.add(job).ok());
  EXPECT_TRUE(pending.take_answer(job.get()));
  EXPECT_FALSE(pending.take_answer(job.get()));
  EXPECT_EQ(pending.size(), 0);
}

TEST(PendingRequestsTest, TellsThoseWhoseDeadlineHasPassed) {
  PendingRequests pending(4);
  const RequestRef late = request_of(0, 30);
  const RequestRef early = request_of(1, 10);
  const RequestRef answered = request_of(2, 5);
  for (const RequestRef& job : {late, early, answered, request_of(3)}) {
    ASSERT_TRUE(pending.add(job).ok());
  }
  pending.take_answer(answered.get());
  EXPECT_THAT(pending.expired(9), IsEmpty());
  EXPECT_THAT(pending.expired(10), ElementsAre(early));
  EXPECT_THAT(pending.expired(40), ElementsAre(early, late));
}

TEST(PendingRequestsTest, OneThatIsRefusedWaitsForAnotherToEnd) {
  PendingRequests pending(4);
  const RequestRef first = request_of(0);
  const RequestRef second = request_of(1);
  ASSERT_TRUE(pending.add(first).ok());
  ASSERT_TRUE(pending.add(second).ok());
  const auto refused = pending.refuse(first);
  EXPECT_FALSE(refused.is_final);
  EXPECT_EQ(refused.next, nullptr);
  EXPECT_THAT(pending.end(second), ElementsAre(first));
  EXPECT_THAT(pending.end(first), IsEmpty());
}

TEST(PendingRequestsTest, TheOldestRunsAloneWhereAllAreRefused) {
  PendingRequests pending(4);
  const RequestRef first = request_of(0);
  const RequestRef second = request_of(1);
  const RequestRef third = request_of(2);
  ASSERT_TRUE(*pending.add(first));
  ASSERT_TRUE(*pending.add(second));
  EXPECT_EQ(pending.refuse(second).next, nullptr);
  EXPECT_EQ(pending.refuse(first).next, first);
  EXPECT_FALSE(*pending.add(third));  // it would not be alone
  EXPECT_TRUE(pending.refuse(first).is_final);
  EXPECT_THAT(pending.end(first), ElementsAre(second, third));
}

TEST(PendingRequestsTest, AfterCloseNothingIsTakenAndNobodyWaits) {
  PendingRequests pending(4);
  const RequestRef first = request_of(0);
  ASSERT_TRUE(pending.add(first).ok());
  EXPECT_THAT(pending.close(), ElementsAre(first));
  EXPECT_EQ(pending.add(request_of(1)).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(pending.refuse(first).next, nullptr);
  EXPECT_THAT(pending.end(first), IsEmpty());
}

}  // namespace
}  // namespace forebay::pipeline
