// Requests that are answered without having been run: late, cancelled, too many.
#include <gmock/gmock.h>

#include <stop_token>
#include <string>
#include <vector>

#include "forebay/serving/batching/dynamic_batcher.h"
#include "forebay/serving/inference/queue_sweep.h"
#include "forebay/serving/testing/batched_twin.h"

namespace forebay::serving {
namespace {

using testing::doubled;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::int32_values;
using testing::kMs;
using testing::twin_request;
using testing::TwinPace;
using testing::up_to;
using Batched = testing::BatchedTwin;

TEST(BatcherRefusals, ACancelledRequestIsNotRun) {
  Batched batched(up_to(8));
  std::stop_source stop;
  batched.send({1});
  batched.send_cancellable(2, stop.get_token());
  batched.send({3});
  stop.request_stop();
  batched.send_cancellable(4, stop.get_token());
  EXPECT_TRUE(batched.answers[3].is_there()) << "it was cancelled before it came";
  batched.answer_all();
  EXPECT_EQ(batched.code(1), StatusCode::kCancelled);
  EXPECT_EQ(batched.code(3), StatusCode::kCancelled);
  EXPECT_THAT(batched.y(2), ElementsAre(6));
  ASSERT_EQ(batched.twin->requests().size(), 2);
  EXPECT_EQ(batched.twin->requests()[1].inputs[0].shape[0], 1);
}

TEST(BatcherRefusals, ACancelledRequestDoesNotRunAgainAlone) {
  Batched batched(up_to(8));
  std::stop_source stop;
  batched.send({1});
  batched.send({-2});
  batched.send_cancellable(3, stop.get_token());
  batched.twin->answer_next();
  stop.request_stop();
  batched.answer_all();
  EXPECT_EQ(batched.code(1), StatusCode::kInvalidArgument);
  EXPECT_EQ(batched.code(2), StatusCode::kCancelled);
  EXPECT_EQ(batched.batcher->execution_count(), 3);
}

TEST(BatcherRefusals, ABatchIsCancelledOnceAllOfItAre) {
  Batched batched(up_to(2));
  std::vector<std::stop_source> stops(3);
  batched.send({1});
  batched.send_cancellable(2, stops[0].get_token());
  batched.send_cancellable(3, stops[1].get_token());
  batched.send_cancellable(4, stops[2].get_token());
  batched.send({5});
  batched.twin->answer_next();
  stops[0].request_stop();
  EXPECT_FALSE(batched.twin->requests().at(1).cancel.stop_requested());
  stops[1].request_stop();
  EXPECT_TRUE(batched.twin->requests().at(1).cancel.stop_requested());
  batched.twin->answer_next();
  EXPECT_FALSE(batched.twin->requests().at(2).cancel.stop_possible()) << "one of it cannot be cancelled";
  batched.answer_all();
  EXPECT_THAT(batched.y(4), ElementsAre(10));
}

TEST(BatcherRefusals, ADeadlineIsAnsweredWhileItsBatchRuns) {
  Batched batched(up_to(8));
  batched.send({1});
  batched.send_until(2, 5);
  batched.send({3});
  batched.twin->answer_next();
  ASSERT_EQ(batched.twin->requests().size(), 2);
  batched.timer->advance_ns(4 * kMs);
  EXPECT_FALSE(batched.answers[1].is_there());
  batched.timer->advance_ns(1 * kMs);
  ASSERT_TRUE(batched.answers[1].is_there());
  EXPECT_EQ(batched.code(1), StatusCode::kDeadlineExceeded);
  batched.answer_all();
  EXPECT_THAT(batched.y(2), ElementsAre(6));
}

TEST(BatcherRefusals, WhatIsLateInABrokenBatchDoesNotRunAgain) {
  Batched batched(up_to(8));
  batched.send({1});
  batched.send_until(2, 5);
  batched.send({-3});
  batched.twin->answer_next();
  batched.timer->advance_ns(5 * kMs);
  batched.answer_all();
  EXPECT_EQ(batched.code(1), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(batched.code(2), StatusCode::kInvalidArgument);
  EXPECT_EQ(batched.batcher->execution_count(), 3);
}

TEST(BatcherRefusals, OnlyErrorsThatARequestMayHaveCausedRunItAgain) {
  for (const StatusCode code :
       {StatusCode::kResourceExhausted, StatusCode::kUnavailable, StatusCode::kDeadlineExceeded,
        StatusCode::kCancelled, StatusCode::kInternal, StatusCode::kDataLoss, StatusCode::kUnknown}) {
    const auto fails_together = [code](const InferRequest& request) {
      const bool is_alone = request.inputs.at(0).shape[0] == 1;
      return is_alone ? doubled(request) : Result<InferResponse>(make_status(code, "together"));
    };
    Batched batched(up_to(8), TwinPace::kWhenTold, fails_together);
    for (const int32_t value : {1, 2, 3}) {
      batched.send({value});
    }
    batched.answer_all();
    const bool runs_again =
        code == StatusCode::kInternal || code == StatusCode::kDataLoss || code == StatusCode::kUnknown;
    EXPECT_EQ(batched.code(1), runs_again ? StatusCode::kOk : code);
    EXPECT_EQ(batched.code(2), runs_again ? StatusCode::kOk : code);
    EXPECT_EQ(batched.batcher->execution_count(), runs_again ? 4 : 2);
  }
}

TEST(BatcherRefusals, RefusalsDoNotWaitForTheirTurn) {
  BatchingOptions options = up_to(1);
  options.preserves_order = true;
  Batched batched(options);
  std::vector<int> order;
  for (const int i : {0, 1, 2, 3}) {
    InferRequest request = twin_request(1, {i});
    request.deadline_ns = i == 2 ? batched.timer->now_ns() + kMs : kNoDeadlineNs;
    batched.batcher->infer(std::move(request),
                           [&order, i](const Result<InferResponse>&) { order.push_back(i); });
  }
  batched.timer->advance_ns(kMs);
  EXPECT_THAT(order, ElementsAre(2));
  batched.answer_all();
  EXPECT_THAT(order, ElementsAre(2, 0, 1, 3));
}

TEST(BatcherRefusals, AllThatARequestHoldsCounts) {
  BatchingOptions options = up_to(1);
  options.max_queue_bytes = 20'000;
  Batched batched(options);
  const std::string large(20'000, 'a');
  std::vector<InferRequest> requests(4, twin_request(1, {1}));
  requests[0].id = large;
  requests[1].parameters["text"] = large;
  requests[2].parameters[large] = true;
  requests[3].outputs.emplace_back().name = large;
  for (InferRequest& request : requests) {
    EXPECT_EQ(batched.send(std::move(request)).get().status().code(), StatusCode::kResourceExhausted);
  }
  batched.send({1});
  batched.answer_all();
  EXPECT_THAT(batched.y(4), ElementsAre(2));
}

TEST(BatcherRefusals, AQueueHasALimitWhereNoneIsGiven) {
  Batched batched(up_to(1));
  const size_t fit = kDefaultMaxQueueSize + 1;  // one runs
  for (size_t i = 0; i <= fit; ++i) {
    batched.send({1});
  }
  EXPECT_FALSE(batched.answers[fit - 1].is_there());
  ASSERT_TRUE(batched.answers[fit].is_there());
  EXPECT_EQ(batched.code(fit), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(batched.answers[fit].get().status())), HasSubstr("max_queue_size"));
}

TEST(BatcherRefusals, CancelledRequestsMakeRoomInAFullQueue) {
  BatchingOptions options = up_to(1);
  options.default_policy.max_queue_size = 2;
  Batched batched(options);
  std::stop_source stop;
  batched.send({1});
  batched.send_cancellable(2, stop.get_token());
  batched.send_cancellable(3, stop.get_token());
  batched.send({4});
  EXPECT_EQ(batched.code(3), StatusCode::kResourceExhausted);
  stop.request_stop();
  batched.send({5});
  EXPECT_EQ(batched.code(4), StatusCode::kResourceExhausted) << "it was looked through a moment ago";
  batched.timer->advance_ns(QueueSweep::kEvery_ns);
  batched.send({6});
  EXPECT_EQ(batched.code(1), StatusCode::kCancelled);
  EXPECT_EQ(batched.code(2), StatusCode::kCancelled);
  batched.answer_all();
  EXPECT_THAT(batched.y(0), ElementsAre(2));
  EXPECT_THAT(batched.y(5), ElementsAre(12));
}

TEST(BatcherRefusals, TimersDoNotPileUp) {
  Batched batched(up_to(1));
  batched.send({1});
  batched.send_until(2, 50);
  for (int64_t wait_ms = 40; wait_ms > 0; wait_ms -= 10) {
    batched.send_until(3, wait_ms);
  }
  EXPECT_EQ(batched.timer->waiting(), 5);
  for (size_t left = 4; left > 0; --left) {
    batched.timer->advance_ns(10 * kMs);
    EXPECT_EQ(batched.timer->waiting(), left);
  }
}

TEST(BatcherRefusals, TheStatusIsTheModels) {
  const Batched batched(up_to(8));
  EXPECT_EQ(batched.batcher->status(), ok_status());
  batched.twin->set_status(unavailable("its process ended"));
  EXPECT_EQ(batched.batcher->status(), unavailable("its process ended"));
}

}  // namespace
}  // namespace forebay::serving
