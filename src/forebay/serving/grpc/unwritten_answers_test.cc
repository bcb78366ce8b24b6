// The count of unwritten answers alone, and then before a door: streams and unary calls of several clients.
#include "forebay/serving/grpc/unwritten_answers.h"

#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpcpp/support/channel_arguments.h>

#include <vector>

#include "forebay/base/units.h"
#include "forebay/serving/testing/grpc_door_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using StreamAnswer = inference::ModelStreamInferResponse;

TEST(UnwrittenAnswers, WhoWaitsIsWokenOnceWhenFewEnoughLie) {
  const auto answers = std::make_shared<UnwrittenAnswers>(2 * kMiB);
  std::vector<int> woken;
  const auto wait = [&](const int& key) {
    return answers->wait_if_over(&key, [&] { woken.push_back(key); });
  };
  const std::vector<int> keys = {0, 1, 2};
  auto first = UnwrittenAnswers::add(answers, 2 * kMiB);
  EXPECT_FALSE(wait(keys[0]));
  auto second = UnwrittenAnswers::add(answers, kMiB);
  auto third = UnwrittenAnswers::add(answers, kMiB);
  for (const int& key : keys) {
    EXPECT_TRUE(wait(key));
  }
  answers->stop_waiting(&keys[1]);
  second.reset();
  EXPECT_TRUE(woken.empty());
  third.reset();
  EXPECT_THAT(woken, ElementsAre(0, 2));
  first.reset();
  EXPECT_EQ(woken.size(), 2U);
  EXPECT_EQ(answers->bytes(), 0U);
}

TEST(UnwrittenAnswers, WhatWouldFillTwiceTheLimitIsRefusedUnlessItIsAloneOrSmall) {
  const auto answers = std::make_shared<UnwrittenAnswers>(kMiB);
  const auto alone = UnwrittenAnswers::add(answers, 10 * kMiB);
  EXPECT_NE(alone, nullptr);
  EXPECT_EQ(UnwrittenAnswers::add(answers, kMiB), nullptr);
  EXPECT_NE(UnwrittenAnswers::add(answers, UnwrittenAnswers::kSmallBytes), nullptr);
  EXPECT_EQ(answers->bytes(), 10 * kMiB);
}

TEST(UnwrittenAnswers, OneThatWakesMayWaitAgain) {
  const auto answers = std::make_shared<UnwrittenAnswers>(0);
  auto first = UnwrittenAnswers::add(answers, 1);
  std::shared_ptr<void> second;
  int woken = 0;
  const int key = 0;
  ASSERT_TRUE(answers->wait_if_over(&key, [&] {
    ++woken;
    second = UnwrittenAnswers::add(answers, 1);
    EXPECT_TRUE(answers->wait_if_over(&key, [&] { ++woken; }));
  }));
  first.reset();
  EXPECT_EQ(woken, 1);
  second.reset();
  EXPECT_EQ(woken, 2);
}

/// A client with a connection and a stream of its own, of which gRPC takes little before it is read.
class UnreadClient {
 public:
  explicit UnreadClient(const std::string& target) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // it would take more and more
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = inference::GRPCInferenceService::NewStub(
        grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    stream_ = stub_->ModelStreamInfer(&context_);
  }

  bool write(const inference::ModelInferRequest& request) { return stream_->Write(request); }
  /// The error of the next answer; empty for one without.
  std::string read() {
    StreamAnswer answer;
    return stream_->Read(&answer) ? answer.error_message() : "the stream has ended";
  }
  /// Reads what is left. Every answer is then written, and none lies.
  grpc::Status end() {
    stream_->WritesDone();
    StreamAnswer answer;
    while (stream_->Read(&answer)) {
    }
    return stream_->Finish();
  }
  grpc::Status give_up() {
    context_.TryCancel();
    return stream_->Finish();
  }

 private:
  std::unique_ptr<inference::GRPCInferenceService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<inference::ModelInferRequest, StreamAnswer>> stream_;
};

class GrpcAllUnreadTest : public testing::GrpcDoorTestBase {
 protected:
  static constexpr size_t kAnswerBytes = 8 * kMiB;

  void open_with(size_t max_unread_bytes) {
    GrpcDoorOptions options;
    options.max_unread_bytes = max_unread_bytes;
    options.max_unread_bytes_per_stream = size_t{1} << 40;
    open(std::move(options));
    models_.add_to_answers(kAnswerBytes);
  }

  /// One answer to `client`: whole, and not read.
  void let_answer_lie(UnreadClient& client) {
    models_.hold();
    ASSERT_TRUE(client.write(request()));
    ASSERT_TRUE(models_.wait_until_held(1));
    models_.release();
    models_.add_to_answers(0);
  }

  /// Two requests of `client`, the second of which is not read while the first is under way.
  void wait_for_room(UnreadClient& client) {
    const size_t before = models_.come();
    models_.hold();
    ASSERT_TRUE(client.write(request()));
    ASSERT_TRUE(models_.wait_until_held(1));
    ASSERT_TRUE(client.write(request()));
    inference::ServerLiveResponse live;
    for (int i = 0; i < 50; ++i) {  // time in which it would be read
      ASSERT_TRUE(call(&Stub::ServerLive, inference::ServerLiveRequest(), live).ok());
    }
    EXPECT_EQ(models_.come(), before + 1);
  }

  static inference::ModelInferRequest request() { return raw_request("any", "UINT8", {1}, "a"); }
};

TEST_F(GrpcAllUnreadTest, AStreamReadsOnOnceTheAnswersOfOthersAreTaken) {
  open_with(kAnswerBytes - 1);
  UnreadClient holder(target());
  let_answer_lie(holder);
  UnreadClient waiting(target());
  wait_for_room(waiting);
  EXPECT_TRUE(holder.end().ok());
  ASSERT_TRUE(models_.wait_until_held(2));
  models_.release();
  EXPECT_TRUE(waiting.end().ok());
}

TEST_F(GrpcAllUnreadTest, OrOnceTheyAreGivenUp) {
  open_with(kAnswerBytes - 1);
  UnreadClient holder(target());
  let_answer_lie(holder);
  UnreadClient waiting(target());
  wait_for_room(waiting);
  EXPECT_EQ(holder.give_up().error_code(), grpc::StatusCode::CANCELLED);
  ASSERT_TRUE(models_.wait_until_held(2));
  models_.release();
  EXPECT_TRUE(waiting.end().ok());
}

TEST_F(GrpcAllUnreadTest, OneThatHoldsEverythingGoesOnByItself) {
  open_with(0);
  UnreadClient client(target());
  constexpr size_t kRequests = 6;
  for (size_t i = 0; i < kRequests; ++i) {
    ASSERT_TRUE(client.write(request()));
  }
  for (size_t i = 1; i <= kRequests; ++i) {
    EXPECT_EQ(client.read(), "");
    EXPECT_LE(models_.come(), i + 1);  // the next one's answer is on its way, and lies
  }
  EXPECT_TRUE(client.end().ok());
}

TEST_F(GrpcAllUnreadTest, AnAnswerForWhichThereIsNoRoomIsAnError) {
  open_with(kAnswerBytes + kMiB);
  models_.hold();
  UnreadClient first(target());
  ASSERT_TRUE(first.write(request()));
  ASSERT_TRUE(models_.wait_until_held(1));
  UnreadClient second(target());
  ASSERT_TRUE(second.write(request()));
  ASSERT_TRUE(models_.wait_until_held(2));
  UnreadClient third(target());
  ASSERT_TRUE(third.write(request()));
  ASSERT_TRUE(models_.wait_until_held(3));
  models_.release();
  EXPECT_THAT(third.read(), HasSubstr("no room for an answer"));
  models_.add_to_answers(3 * kMiB);
  const grpc::Status refused = infer(request());
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("no room for an answer"));
  EXPECT_EQ(first.read(), "");
  EXPECT_TRUE(first.end().ok());
  const grpc::Status answered = infer(request());
  EXPECT_TRUE(answered.ok()) << answered.error_message();
  EXPECT_EQ(second.read(), "");
  EXPECT_TRUE(second.end().ok());
  EXPECT_TRUE(third.end().ok());
}

}  // namespace
}  // namespace forebay::serving
