#include "forebay/serving/batching/dynamic_batcher.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "forebay/memory/copy.h"
#include "forebay/serving/testing/batched_twin.h"
#include "forebay/serving/testing/twin_models.h"

namespace forebay::serving {
namespace {

using testing::doubled;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::int32_values;
using testing::twin_metadata;
using testing::twin_request;
using testing::TwinAnswer;
using testing::TwinModel;
using testing::TwinPace;

using testing::kMs;
using testing::up_to;
using Batched = testing::BatchedTwin;

TEST(DynamicBatcher, RequestsThatWaitAreOneBatch) {
  Batched batched(up_to(8));
  batched.send({1, 2});
  batched.send({3, 4});
  batched.send(twin_request(2, {5, 6, 7, 8}));
  ASSERT_EQ(batched.twin->requests().size(), 1) << "the model is busy with the first";
  const uint64_t copied = memory::bytes_copied();
  batched.twin->answer_next();
  ASSERT_EQ(batched.twin->requests().size(), 2);
  EXPECT_EQ(memory::bytes_copied() - copied, 6 * sizeof(int32_t));
  EXPECT_THAT(batched.twin->requests()[1].inputs[0].shape, ElementsAre(3, 2));
  batched.twin->answer_next();
  EXPECT_EQ(memory::bytes_copied() - copied, 6 * sizeof(int32_t)) << "outputs are views";
  EXPECT_THAT(batched.y(0), ElementsAre(2, 4));
  EXPECT_THAT(batched.y(1), ElementsAre(6, 8));
  EXPECT_THAT(batched.y(2), ElementsAre(10, 12, 14, 16));
  EXPECT_THAT(batched.answers[2].get()->outputs[0].shape, ElementsAre(2, 2));
  EXPECT_EQ(batched.batcher->execution_count(), 2);
}

TEST(DynamicBatcher, ABatchIsNoLargerThanItMayBe) {
  Batched batched(up_to(3));
  for (int32_t i = 0; i < 6; ++i) {
    batched.send({i});
  }
  batched.answer_all();
  std::vector<int64_t> rows;
  for (const InferRequest& request : batched.twin->requests()) {
    rows.push_back(request.inputs[0].shape[0]);
  }
  EXPECT_THAT(rows, ElementsAre(1, 3, 2));
  EXPECT_THAT(batched.y(5), ElementsAre(10));
}

TEST(DynamicBatcher, AloneRequestWaitsItsDelayForOthers) {
  Batched batched(up_to(4, 10));
  batched.send({1});
  batched.timer->advance_ns(4 * kMs);
  batched.send({2});
  batched.timer->advance_ns(5 * kMs);
  EXPECT_EQ(batched.twin->requests().size(), 0);
  batched.timer->advance_ns(1 * kMs);
  ASSERT_EQ(batched.twin->requests().size(), 1);
  EXPECT_EQ(batched.twin->requests()[0].inputs[0].shape[0], 2);
  batched.answer_all();
  EXPECT_EQ(batched.answers[0].get()->timing.queue_ns, 10 * kMs);
  EXPECT_EQ(batched.answers[1].get()->timing.queue_ns, 6 * kMs);
}

TEST(DynamicBatcher, AFullBatchDoesNotWait) {
  Batched batched(up_to(2, 1000));
  batched.send({1});
  batched.send({2});
  EXPECT_EQ(batched.twin->requests().size(), 1);
}

TEST(DynamicBatcher, APreferredSizeDoesNotWait) {
  BatchingOptions options = up_to(8, 1000);
  options.preferred_sizes = {3, 6};
  Batched batched(options);
  batched.send({1});
  batched.send({2});
  EXPECT_EQ(batched.twin->requests().size(), 0);
  batched.send({3});
  ASSERT_EQ(batched.twin->requests().size(), 1);
  for (int32_t i = 0; i < 7; ++i) {
    batched.send({i});
  }
  batched.twin->answer_next();
  ASSERT_EQ(batched.twin->requests().size(), 2);
  EXPECT_EQ(batched.twin->requests()[1].inputs[0].shape[0], 6) << "the largest that is preferred";
  batched.twin->answer_next();
  EXPECT_EQ(batched.twin->requests().size(), 2) << "one is left, and waits";
  batched.timer->advance_ns(1000 * kMs);
  EXPECT_EQ(batched.twin->requests().size(), 3);
}

TEST(DynamicBatcher, ShapesThatDifferAreBatchesOfTheirOwn) {
  Batched batched(up_to(8, 10));
  batched.send({1, 2});
  batched.send({3});
  batched.send({4, 5});
  batched.timer->advance_ns(10 * kMs);
  batched.answer_all();
  ASSERT_EQ(batched.twin->requests().size(), 2);
  EXPECT_THAT(batched.twin->requests()[0].inputs[0].shape, ElementsAre(2, 2));
  EXPECT_THAT(batched.twin->requests()[1].inputs[0].shape, ElementsAre(1, 1));
  EXPECT_THAT(batched.y(1), ElementsAre(6));
  EXPECT_THAT(batched.y(2), ElementsAre(8, 10));
}

TEST(DynamicBatcher, ARequestWithAKeyRunsAlone) {
  Batched batched(up_to(8));
  batched.send({1});
  for (int32_t i = 0; i < 2; ++i) {
    InferRequest request = twin_request(1, {i});
    request.key = 7;
    batched.send(std::move(request));
  }
  InferRequest other = twin_request(1, {5});
  other.parameters["level"] = int64_t{3};
  batched.send(std::move(other));
  batched.answer_all();
  EXPECT_EQ(batched.twin->requests().size(), 4);
  EXPECT_EQ(batched.twin->requests()[1].key, 7);
}

TEST(DynamicBatcher, HigherPriorityGoesFirst) {
  BatchingOptions options = up_to(1);
  options.priority_levels = 3;
  options.default_priority = 2;
  Batched batched(options);
  const std::vector<uint64_t> priorities = {1, 3, 0, 1, 9, 3};
  for (size_t i = 0; i < priorities.size(); ++i) {
    InferRequest request = twin_request(1, {static_cast<int32_t>(i)});
    request.priority = priorities[i];
    batched.send(std::move(request));
  }
  batched.answer_all();
  std::vector<int32_t> order;
  for (const InferRequest& request : batched.twin->requests()) {
    order.push_back(int32_values(request.inputs[0])[0]);
  }
  EXPECT_THAT(order, ElementsAre(0, 3, 2, 4, 1, 5));
}

TEST(DynamicBatcher, ADeadlineIsAnsweredWhileTheModelIsBusy) {
  Batched batched(up_to(8));
  batched.send({1});
  InferRequest request = twin_request(1, {2});
  request.deadline_ns = batched.timer->now_ns() + 5 * kMs;
  batched.send(std::move(request));
  batched.send({3});
  batched.timer->advance_ns(4 * kMs);
  EXPECT_FALSE(batched.answers[1].is_there());
  batched.timer->advance_ns(1 * kMs);
  ASSERT_TRUE(batched.answers[1].is_there());
  EXPECT_EQ(batched.code(1), StatusCode::kDeadlineExceeded);
  batched.answer_all();
  EXPECT_THAT(batched.y(2), ElementsAre(6));
  InferRequest late = twin_request(1, {2});
  late.deadline_ns = batched.timer->now_ns();
  EXPECT_EQ(batched.send(std::move(late)).get().status().code(), StatusCode::kDeadlineExceeded);
}

TEST(DynamicBatcher, AQueuesTimeoutRefusesOrDelays) {
  for (const bool delays : {false, true}) {
    BatchingOptions options = up_to(1);
    options.default_policy.timeout_ns = 5 * kMs;
    options.default_policy.delays_overdue = delays;
    Batched batched(options);
    batched.send({1});
    batched.send({2});
    batched.timer->advance_ns(5 * kMs);
    batched.send({3});
    EXPECT_EQ(batched.answers[1].is_there(), !delays);
    batched.answer_all();
    if (delays) {
      EXPECT_EQ(int32_values(batched.twin->requests()[2].inputs[0])[0], 2) << "behind what is not overdue";
      EXPECT_THAT(batched.y(1), ElementsAre(4));
    } else {
      EXPECT_EQ(batched.code(1), StatusCode::kDeadlineExceeded);
    }
  }
}

TEST(DynamicBatcher, AQueueHasLimits) {
  BatchingOptions options = up_to(1);
  options.default_policy.max_queue_size = 2;
  options.max_queue_bytes = 5000;
  Batched batched(options);
  for (int32_t i = 0; i < 4; ++i) {
    batched.send({i});
  }
  ASSERT_TRUE(batched.answers[3].is_there());
  EXPECT_EQ(batched.code(3), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(batched.answers[3].get().status())), HasSubstr("max_queue_size"));
  batched.twin->answer_next();
  batched.send(std::vector<int32_t>(1000));
  EXPECT_EQ(batched.code(4), StatusCode::kResourceExhausted);
  batched.answer_all();
  EXPECT_EQ(batched.y(2).size(), 1);
  batched.send(std::vector<int32_t>(900));
  batched.answer_all();
  EXPECT_EQ(batched.y(5).size(), 900) << "what was taken no longer counts";
}

TEST(DynamicBatcher, ABrokenRequestIsNoOthersError) {
  Batched batched(up_to(8));
  for (const int32_t value : {1, 2, -3, 4}) {
    batched.send({value});
  }
  batched.answer_all();
  EXPECT_THAT(batched.y(1), ElementsAre(4));
  EXPECT_THAT(std::string(message(batched.answers[2].get().status())), HasSubstr("-3 is negative"));
  EXPECT_THAT(batched.y(3), ElementsAre(8));
  EXPECT_EQ(batched.batcher->execution_count(), 1 + 1 + 3);
}

TEST(DynamicBatcher, ADeadlineCountsForWhatRunsAgainAlone) {
  Batched batched(up_to(8));
  for (const int32_t value : {1, -2, 3}) {
    InferRequest request = twin_request(1, {value});
    request.deadline_ns = batched.timer->now_ns() + (value == 3 ? 5 * kMs : 50 * kMs);
    batched.send(std::move(request));
  }
  batched.twin->answer_next();
  batched.twin->answer_next();
  EXPECT_EQ(batched.twin->waiting(), 1) << "the first of the broken batch";
  batched.timer->advance_ns(5 * kMs);
  ASSERT_TRUE(batched.answers[2].is_there());
  EXPECT_EQ(batched.code(2), StatusCode::kDeadlineExceeded);
  batched.answer_all();
  EXPECT_EQ(batched.code(1), StatusCode::kInvalidArgument);
}

TEST(DynamicBatcher, OutputsWithoutRowsAreRunAlone) {
  const auto sum = [](const InferRequest& request) {
    int32_t total = 0;
    for (const int32_t value : int32_values(request.inputs[0])) {
      total += value;
    }
    InferResponse response;
    response.outputs = {testing::int32_tensor("y", {}, {total})};
    return Result<InferResponse>(response);
  };
  Batched batched(up_to(8), TwinPace::kWhenTold, sum);
  for (const int32_t value : {1, 2, 3}) {
    batched.send({value});
  }
  batched.answer_all();
  EXPECT_THAT(batched.y(2), ElementsAre(3)) << "the batch of two was run again, each alone";
}

TEST(DynamicBatcher, StringsAreJoinedAndSplit) {
  const auto echo = [](const InferRequest& request) {
    InferResponse response;
    response.outputs = request.inputs;
    response.outputs[0].name = "y";
    return Result<InferResponse>(response);
  };
  Batched batched(up_to(8), TwinPace::kWhenTold, echo);
  const std::vector<std::vector<std::string>> words = {{"a", "bc"}, {"", "long, and longer"}, {"x", ""}};
  batched.send({1});
  for (const std::vector<std::string>& two : words) {
    InferRequest request;
    request.inputs = {bytes_tensor("x", two).value()};
    request.inputs[0].shape = {1, 2};
    batched.send(std::move(request));
  }
  batched.answer_all();
  EXPECT_EQ(batched.twin->requests().size(), 2);
  for (size_t i = 0; i < words.size(); ++i) {
    const NamedTensor& output = batched.answers[1 + i].get()->outputs[0];
    ASSERT_TRUE(check_size(output).ok());
    const std::vector<Bytes> elements = elements_of(output);
    for (size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(elements[j].data()), elements[j].size()),
                words[i][j]);
    }
  }
}

TEST(DynamicBatcher, AnswersKeepTheOrderOfRequestsWhereAsked) {
  BatchingOptions options = up_to(1);
  options.max_running = 2;
  options.preserves_order = true;
  options.default_policy.timeout_ns = 1 * kMs;
  Batched batched(options);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    batched.batcher->infer(twin_request(1, {i}),
                           [&order, i](const Result<InferResponse>&) { order.push_back(i); });
  }
  batched.timer->advance_ns(1 * kMs);
  EXPECT_THAT(order, ElementsAre(2)) << "the third is refused, which need not wait";
  batched.twin->answer_next();
  batched.answer_all();
  EXPECT_THAT(order, ElementsAre(2, 0, 1));
}

TEST(DynamicBatcher, ManyAnswersWithinTheCallNeedNoStack) {
  constexpr int kRequests = 20'000;
  int answered = 0;
  DynamicBatcher* batcher = nullptr;
  const auto first_sends_the_rest = [&](const InferRequest& request) {
    for (int i = 1; answered == 0 && i < kRequests && int32_values(request.inputs[0])[0] == 0; ++i) {
      batcher->infer(twin_request(1, {1}), [&](const Result<InferResponse>&) { ++answered; });
    }
    return doubled(request);
  };
  BatchingOptions options = up_to(1);
  options.default_policy.max_queue_size = kRequests;
  Batched batched(options, TwinPace::kAtOnce, first_sends_the_rest);
  batcher = batched.batcher.get();
  batcher->infer(twin_request(1, {0}), [&](const Result<InferResponse>&) { ++answered; });
  EXPECT_EQ(answered, kRequests);
}

TEST(DynamicBatcher, CloseRunsWhatWaitsAndTakesNoMore) {
  Batched batched(up_to(8, 1000), TwinPace::kAtOnce);
  batched.send({1});
  EXPECT_FALSE(batched.answers[0].is_there());
  batched.batcher->close(kNoDeadlineNs);
  EXPECT_THAT(batched.y(0), ElementsAre(2));
  EXPECT_TRUE(batched.twin->is_closed());
  EXPECT_EQ(batched.send({2}).get().status().code(), StatusCode::kUnavailable);
  batched.batcher->close(kNoDeadlineNs);
}

TEST(DynamicBatcher, CloseAnswersWhatItCannotRunInTime) {
  Batched batched(up_to(1));
  batched.send({1});
  batched.send({2});
  batched.batcher->close(0);
  EXPECT_EQ(batched.code(0), StatusCode::kUnavailable);
  EXPECT_EQ(batched.code(1), StatusCode::kUnavailable);
}

TEST(DynamicBatcher, ATimerOfItsOwnServesAsWell) {
  const auto twin = std::make_shared<TwinModel>(twin_metadata(), doubled);
  DynamicBatcher batcher(twin, up_to(8, 1));
  TwinAnswer answer;
  batcher.infer(twin_request(1, {4}), answer.answer());
  ASSERT_TRUE(answer.wait());
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(8));
}

}  // namespace
}  // namespace forebay::serving
