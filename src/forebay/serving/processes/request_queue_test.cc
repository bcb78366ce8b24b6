#include "forebay/serving/processes/request_queue.h"

#include <gmock/gmock.h>

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Requests with a name each, and the codes that they were answered with.
class RequestQueueTest : public ::testing::Test {
 protected:
  bool push(const std::string& id, uint64_t priority = 0, int64_t deadline_ns = kNoDeadlineNs,
            size_t bytes = 0) {
    WaitingRequest waiting;
    waiting.request.id = id;
    waiting.request.priority = priority;
    waiting.request.deadline_ns = deadline_ns;
    waiting.request.cancel = cancel_;
    waiting.request.inputs.resize(1);
    waiting.request.inputs[0].size_bytes = bytes;
    waiting.arrived_ns = now_ns_;
    waiting.answer = [this, id](const Result<InferResponse>& result) {
      answered_.push_back(id);
      last_ = result.status();
    };
    return queue_.push(std::move(waiting));
  }

  std::string take() {
    std::optional<WaitingRequest> waiting = queue_.take();
    return waiting ? waiting->request.id : "nothing";
  }

  RequestQueue queue_{"model 'm'", {.most_requests = 4, .most_bytes = 100'000, .default_priority = 2}};
  std::stop_token cancel_;  // of what is pushed
  int64_t now_ns_ = 0;
  std::vector<std::string> answered_;
  Status last_;
};

TEST_F(RequestQueueTest, ThePriorityComesFirstThenTheOrder) {
  push("a");
  push("low", 3);
  push("b", 2);
  push("high", 1);
  EXPECT_EQ(take(), "high");
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "low");
  EXPECT_EQ(take(), "nothing");
  EXPECT_FALSE(queue_.is_idle());
  for (int i = 0; i < 4; ++i) {
    queue_.finished();
  }
  EXPECT_TRUE(queue_.is_idle());
}

TEST_F(RequestQueueTest, RequestsAndBytesAreBounded) {
  EXPECT_TRUE(push("a", 0, kNoDeadlineNs, 55'000));
  EXPECT_FALSE(push("large", 0, kNoDeadlineNs, 45'000));
  EXPECT_THAT(std::string(message(last_)), HasSubstr("limit of 100000"));
  EXPECT_TRUE(push("b", 0, kNoDeadlineNs, 40'000));
  EXPECT_EQ(take(), "a");
  EXPECT_TRUE(push("c", 0, kNoDeadlineNs, 50'000));
  EXPECT_TRUE(push("d"));
  EXPECT_TRUE(push("e"));
  EXPECT_FALSE(push("f"));
  EXPECT_EQ(last_.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(answered_, ElementsAre("large", "f"));
}

TEST_F(RequestQueueTest, NamesCount) {
  EXPECT_FALSE(push(std::string(100'000, 'x')));
  EXPECT_EQ(last_.code(), StatusCode::kResourceExhausted);
}

TEST_F(RequestQueueTest, WhatIsCancelledIsNotRun) {
  std::stop_source gone;
  cancel_ = gone.get_token();
  push("a", 0, 100);
  push("b");
  cancel_ = {};
  push("c");
  EXPECT_EQ(queue_.expire(0), 100);
  gone.request_stop();
  EXPECT_EQ(queue_.expire(0), kNoDeadlineNs);
  EXPECT_THAT(answered_, ElementsAre("a", "b"));
  EXPECT_EQ(last_.code(), StatusCode::kCancelled);
  cancel_ = gone.get_token();
  push("d", 1);
  EXPECT_EQ(take(), "c");
  EXPECT_THAT(answered_, ElementsAre("a", "b", "d"));
  push("e");
  EXPECT_EQ(take(), "nothing");
  queue_.finished();
  EXPECT_TRUE(queue_.is_idle());
}

TEST_F(RequestQueueTest, WhatIsCancelledMakesRoom) {
  std::stop_source gone;
  push("a");
  cancel_ = gone.get_token();
  push("b");
  push("c");
  push("d");
  cancel_ = {};
  EXPECT_FALSE(push("e"));
  gone.request_stop();
  now_ns_ += QueueSweep::kEvery_ns - 1;
  EXPECT_FALSE(push("f")) << "it was looked through a moment ago";
  now_ns_ += 1;
  EXPECT_TRUE(push("g"));
  EXPECT_THAT(answered_, ElementsAre("e", "f", "b", "c", "d"));
  EXPECT_EQ(last_.code(), StatusCode::kCancelled);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "g");
}

TEST_F(RequestQueueTest, DeadlinesThatPassAreAnswered) {
  push("a", 0, 100);
  push("b", 0, 300);
  push("c", 0, 200);
  EXPECT_EQ(queue_.expire(99), 100);
  EXPECT_EQ(queue_.expire(200), 300);
  EXPECT_THAT(answered_, ElementsAre("a", "c"));
  EXPECT_EQ(last_.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(queue_.expire(1000), kNoDeadlineNs);
}

TEST_F(RequestQueueTest, AClosedQueueRefusesAndKeepsWhatItHas) {
  push("a");
  queue_.close(unavailable("gone"));
  EXPECT_FALSE(push("b"));
  EXPECT_EQ(take(), "a");
  queue_.finished();
  EXPECT_TRUE(queue_.is_idle());
  queue_.open();
  EXPECT_TRUE(push("c"));
}

TEST_F(RequestQueueTest, AllCanBeFailed) {
  push("a");
  push("b");
  queue_.fail_all(unavailable("gone"));
  EXPECT_THAT(answered_, ElementsAre("a", "b"));
  EXPECT_EQ(last_.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(queue_.is_idle());
}

}  // namespace
}  // namespace forebay::serving
