// ModelStreamInfer: many requests at a time, errors among them, and its end.
#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpcpp/support/channel_arguments.h>

#include <set>
#include <thread>

#include "forebay/base/clock.h"
#include "forebay/serving/grpc/door_state.h"
#include "forebay/serving/testing/grpc_door_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;
using StreamAnswer = inference::ModelStreamInferResponse;

class GrpcStreamTest : public testing::GrpcDoorTestBase {
 protected:
  using Stream = grpc::ClientReaderWriter<inference::ModelInferRequest, StreamAnswer>;

  std::unique_ptr<Stream> begin() {
    limit(context_);
    return stub_->ModelStreamInfer(&context_);
  }

  static inference::ModelInferRequest numbered(int number, const std::string& model = "any") {
    inference::ModelInferRequest request = raw_request(model, "UINT8", {1}, std::string(1, 'a'));
    request.set_id(std::to_string(number));
    return request;
  }

  grpc::ClientContext context_;
};

TEST_F(GrpcStreamTest, AHundredRequestsAreAnsweredWhateverTheOrderInWhichTheyAreReady) {
  open();
  models_.hold();
  const auto stream = begin();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(stream->Write(numbered(i)));
  }
  stream->WritesDone();
  models_.wait_until_held(100);
  models_.release(/*reversed=*/true);
  StreamAnswer answer;
  std::set<std::string> left;
  for (int i = 0; i < 100; ++i) {
    left.insert(std::to_string(i));
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(stream->Read(&answer));
    EXPECT_EQ(answer.error_message(), "");
    EXPECT_EQ(left.erase(answer.infer_response().id()), 1) << answer.infer_response().id();
    EXPECT_EQ(answer.infer_response().raw_output_contents(0), "a");
    EXPECT_TRUE(answer.infer_response().parameters().at("triton_final_response").bool_param());
  }
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcStreamTest, LargeAnswersComeWhole) {
  open();
  const auto stream = begin();
  const std::string bytes(300'000, 'x');
  ASSERT_TRUE(stream->Write(raw_request("any", "UINT8", {300'000}, bytes)));
  StreamAnswer answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_TRUE(answer.infer_response().raw_output_contents(0) == bytes);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcStreamTest, AnErrorIsOneAnswerAndTheStreamGoesOn) {
  open();
  const auto stream = begin();
  StreamAnswer answer;
  ASSERT_TRUE(stream->Write(numbered(1, "none")));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_THAT(answer.error_message(), HasSubstr("no model 'none'"));
  EXPECT_EQ(answer.infer_response().id(), "1");
  ASSERT_TRUE(stream->Write(numbered(2)));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.error_message(), "");
  EXPECT_EQ(answer.infer_response().id(), "2");
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcStreamTest, NoMoreAreReadThanAreAllowedUnderWay) {
  GrpcDoorOptions options;
  options.max_requests_per_stream = 4;
  open(options);
  models_.hold();
  const auto stream = begin();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stream->Write(numbered(i)));
  }
  stream->WritesDone();
  models_.wait_until_held(4);
  EXPECT_EQ(models_.last().id, "3");
  models_.release();
  std::set<std::string> ids;
  for (StreamAnswer answer; stream->Read(&answer);) {
    EXPECT_EQ(answer.error_message(), "");
    ids.insert(answer.infer_response().id());
  }
  EXPECT_EQ(ids.size(), 20);
  EXPECT_TRUE(stream->Finish().ok());
}

/// Small requests with answers of 8 MiB, of which gRPC itself takes little before the client reads.
class GrpcUnreadTest : public GrpcStreamTest {
 protected:
  static constexpr size_t kRequests = 6;

  std::unique_ptr<Stream> write_all(size_t max_unread_bytes) {
    GrpcDoorOptions options;
    options.max_unread_bytes_per_stream = max_unread_bytes;
    open(std::move(options));
    models_.add_to_answers(8 << 20);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // it would take more and more
    stub_ = std::make_unique<Stub>(
        grpc::CreateCustomChannel(target(), grpc::InsecureChannelCredentials(), arguments));
    auto stream = begin();
    for (size_t i = 0; i < kRequests; ++i) {
      EXPECT_TRUE(stream->Write(numbered(static_cast<int>(i))));
    }
    stream->WritesDone();
    return stream;
  }
};

TEST_F(GrpcUnreadTest, NoMoreAreReadWhileTheirAnswersLie) {
  const auto stream = write_all(0);
  StreamAnswer answer;
  for (size_t i = 1; i <= kRequests; ++i) {
    ASSERT_TRUE(stream->Read(&answer));
    EXPECT_EQ(answer.error_message(), "");
    EXPECT_LE(models_.come(), i + 1);  // the next one's answer is on its way, and lies
  }
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcUnreadTest, GrpcAloneWouldLetAllOfThemLie) {
  const auto stream = write_all(kRequests * (9 << 20));
  models_.wait_until_come(kRequests);
  StreamAnswer answer;
  while (stream->Read(&answer)) {
    EXPECT_EQ(answer.error_message(), "");
  }
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcStreamTest, ACancelledStreamCancelsItsRequests) {
  open();
  models_.hold();
  const auto stream = begin();
  ASSERT_TRUE(stream->Write(numbered(1)));
  models_.wait_until_held(1);
  context_.TryCancel();
  models_.wait_until_cancelled();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  models_.release();
}

TEST_F(GrpcStreamTest, AnIdleStreamEndsWithTheServer) {
  open();
  const auto stream = begin();
  ASSERT_TRUE(stream->Write(numbered(1)));
  StreamAnswer answer;
  ASSERT_TRUE(stream->Read(&answer));
  door_->stop(kNoDeadlineNs);
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcStreamTest, WhatIsUnderWayIsAnsweredBeforeTheEnd) {
  open();
  models_.hold();
  const auto stream = begin();
  ASSERT_TRUE(stream->Write(numbered(1)));
  models_.wait_until_held(1);
  std::jthread stopping([&] { door_->stop(kNoDeadlineNs); });
  inference::ServerReadyResponse ready;
  do {
    ASSERT_TRUE(call(&Stub::ServerReady, inference::ServerReadyRequest(), ready).ok());
  } while (ready.ready());
  models_.release();
  StreamAnswer answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.infer_response().id(), "1");
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcStreamTest, AStreamThatComesTooLateEnds) {
  open();
  models_.hold();
  const auto stream = begin();
  ASSERT_TRUE(stream->Write(numbered(1)));
  models_.wait_until_held(1);
  const int64_t deadline_ns = steady_clock().now_ns() + int64_t{20} * 1'000'000'000;
  std::jthread stopping([&] { door_->stop(deadline_ns); });
  inference::ServerReadyResponse ready;
  do {
    ASSERT_TRUE(call(&Stub::ServerReady, inference::ServerReadyRequest(), ready).ok());
  } while (ready.ready());
  grpc::ClientContext context;
  limit(context);
  EXPECT_EQ(stub_->ModelStreamInfer(&context)->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  models_.release();
  stopping.join();
  EXPECT_LT(steady_clock().now_ns(), deadline_ns);
}

TEST(GrpcDoorState, ACallThatBeginsAfterTheStopIsToldSo) {
  testing::EchoServer models;
  DoorState door(models, {});
  int drained = 0;
  const auto early = door.begin_call([&] { ++drained; });
  EXPECT_FALSE(early.is_stopping);
  door.begin_stop();
  EXPECT_EQ(drained, 1);
  const auto late = door.begin_call([&] { ++drained; });
  EXPECT_TRUE(late.is_stopping);
  EXPECT_EQ(drained, 1);
  door.end_call(early.number);
  door.end_call(late.number);
  door.wait_until_idle(kNoDeadlineNs);
}

}  // namespace
}  // namespace forebay::serving
