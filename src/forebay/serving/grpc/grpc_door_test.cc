// The door itself: what it says of server and models, who may come in, how it ends.
#include "forebay/serving/grpc/grpc_door.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/generic/generic_stub.h>

#include <fstream>
#include <future>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/serving/grpc/listen_address.h"
#include "forebay/serving/testing/grpc_door_test_base.h"
#include "forebay/serving/testing/self_signed.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class GrpcDoorTest : public testing::GrpcDoorTestBase {
 protected:
  /// What grpc.health.v1 says of the whole server: 1 is SERVING, 2 NOT_SERVING.
  int health() {
    grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> generic(channel_);
    grpc::ClientContext context;
    limit(context);
    const grpc::Slice empty("");
    const grpc::ByteBuffer request(&empty, 1);
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    generic.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
                      [&](grpc::Status status) { done.set_value(std::move(status)); });
    if (!done.get_future().get().ok()) {
      return -1;
    }
    grpc::Slice bytes;
    EXPECT_TRUE(response.DumpToSingleSlice(&bytes).ok());
    return bytes.size() == 2 && bytes.begin()[0] == 8 ? bytes.begin()[1] : -1;
  }

  grpc::Status infer_with(const std::string& authorization) {
    grpc::ClientContext context;
    limit(context);
    if (!authorization.empty()) {
      context.AddMetadata("authorization", authorization);
    }
    inference::ModelInferResponse response;
    return stub_->ModelInfer(&context, raw_request("any", "UINT8", {1}, "a"), &response);
  }
};

TEST_F(GrpcDoorTest, LiveAndReady) {
  open();
  inference::ServerLiveResponse live;
  ASSERT_TRUE(call(&Stub::ServerLive, {}, live).ok());
  EXPECT_TRUE(live.live());
  inference::ServerReadyResponse ready;
  ASSERT_TRUE(call(&Stub::ServerReady, {}, ready).ok());
  EXPECT_TRUE(ready.ready());
  inference::ModelReadyRequest request;
  inference::ModelReadyResponse model_ready;
  request.set_name("pair");
  ASSERT_TRUE(call(&Stub::ModelReady, request, model_ready).ok());
  EXPECT_TRUE(model_ready.ready());
  request.set_name("none");
  ASSERT_TRUE(call(&Stub::ModelReady, request, model_ready).ok());
  EXPECT_FALSE(model_ready.ready());
  models_.set_live(false);
  ASSERT_TRUE(call(&Stub::ServerLive, {}, live).ok());
  EXPECT_FALSE(live.live());
}

TEST_F(GrpcDoorTest, MetadataOfServerAndModel) {
  GrpcDoorOptions options;
  options.server_version = "1.2";
  options.server_extensions = {"model_repository"};
  open(options);
  inference::ServerMetadataResponse server;
  ASSERT_TRUE(call(&Stub::ServerMetadata, {}, server).ok());
  EXPECT_EQ(server.name(), "forebay");
  EXPECT_EQ(server.version(), "1.2");
  EXPECT_THAT(server.extensions(), ElementsAre("model_repository"));
  inference::ModelMetadataRequest request;
  inference::ModelMetadataResponse model;
  request.set_name("pair");
  ASSERT_TRUE(call(&Stub::ModelMetadata, request, model).ok());
  EXPECT_EQ(model.platform(), "echo");
  EXPECT_THAT(model.versions(), ElementsAre("3"));
  ASSERT_EQ(model.inputs_size(), 1);
  EXPECT_EQ(model.inputs(0).datatype(), "FP32");
  EXPECT_THAT(model.inputs(0).shape(), ElementsAre(-1, 2));
  EXPECT_EQ(model.outputs_size(), 1);
  request.set_name("none");
  EXPECT_EQ(call(&Stub::ModelMetadata, request, model).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(GrpcDoorTest, ConfigurationOfAModel) {
  models_.add(metadata_of("configured", {}), R"({
      "name": "configured", "max_batch_size": 8, "not_of_the_protocol": 1,
      "input": [{"name": "x", "data_type": "TYPE_FP32", "dims": [3, -1]}],
      "dynamic_batching": {"max_queue_delay_microseconds": 100}, "parameters": {"a": {"string_value": "b"}}})");
  models_.add(metadata_of("broken", {}), "[1");
  open();
  inference::ModelConfigRequest request;
  inference::ModelConfigResponse response;
  request.set_name("configured");
  ASSERT_TRUE(call(&Stub::ModelConfig, request, response).ok());
  EXPECT_EQ(response.config().max_batch_size(), 8);
  EXPECT_EQ(response.config().input(0).data_type(), inference::TYPE_FP32);
  EXPECT_THAT(response.config().input(0).dims(), ElementsAre(3, -1));
  EXPECT_EQ(response.config().dynamic_batching().max_queue_delay_microseconds(), 100);
  EXPECT_EQ(response.config().parameters().at("a").string_value(), "b");
  request.set_name("broken");
  const grpc::Status status = call(&Stub::ModelConfig, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("'broken'"));
}

TEST_F(GrpcDoorTest, StatisticsCountRequests) {
  open();
  ASSERT_TRUE(infer_with("").ok());
  models_.fail_with("any", data_loss("as told"));
  ASSERT_FALSE(infer_with("").ok());
  inference::ModelStatisticsRequest request;
  inference::ModelStatisticsResponse response;
  ASSERT_TRUE(call(&Stub::ModelStatistics, request, response).ok());
  EXPECT_EQ(response.model_stats_size(), 2);
  request.set_name("any");
  ASSERT_TRUE(call(&Stub::ModelStatistics, request, response).ok());
  ASSERT_EQ(response.model_stats_size(), 1);
  EXPECT_EQ(response.model_stats(0).version(), "3");
  EXPECT_EQ(response.model_stats(0).inference_stats().success().count(), 1);
  EXPECT_EQ(response.model_stats(0).inference_stats().fail().count(), 1);
  EXPECT_GT(response.model_stats(0).last_inference(), 0);
}

TEST_F(GrpcDoorTest, ModelsAreLoadedAndUnloaded) {
  open();
  inference::RepositoryModelUnloadRequest unload;
  inference::RepositoryModelUnloadResponse unloaded;
  unload.set_model_name("any");
  (*unload.mutable_parameters())["unload_dependents"].set_bool_param(false);
  ASSERT_TRUE(call(&Stub::RepositoryModelUnload, unload, unloaded).ok());
  EXPECT_EQ(infer_with("").error_code(), grpc::StatusCode::UNAVAILABLE);
  inference::RepositoryIndexRequest index;
  inference::RepositoryIndexResponse all;
  ASSERT_TRUE(call(&Stub::RepositoryIndex, index, all).ok());
  ASSERT_EQ(all.models_size(), 2);
  EXPECT_EQ(all.models(0).state(), "UNAVAILABLE");
  EXPECT_EQ(all.models(0).reason(), "unloaded");
  index.set_ready(true);
  ASSERT_TRUE(call(&Stub::RepositoryIndex, index, all).ok());
  ASSERT_EQ(all.models_size(), 1);
  EXPECT_EQ(all.models(0).name(), "pair");

  inference::RepositoryModelLoadRequest load;
  inference::RepositoryModelLoadResponse loaded;
  load.set_model_name("any");
  ASSERT_TRUE(call(&Stub::RepositoryModelLoad, load, loaded).ok());
  EXPECT_TRUE(infer_with("").ok());
  load.set_model_name("none");
  EXPECT_EQ(call(&Stub::RepositoryModelLoad, load, loaded).error_code(), grpc::StatusCode::NOT_FOUND);
  (*load.mutable_parameters())["config"].set_string_param("{}");
  EXPECT_EQ(call(&Stub::RepositoryModelLoad, load, loaded).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  index.set_repository_name("other");
  EXPECT_EQ(call(&Stub::RepositoryIndex, index, all).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

// The client's library is that of the server here, and writes as much when it sends.
TEST_F(GrpcDoorTest, TextThatIsNotUtf8IsRefusedWithoutALine) {
  open();
  inference::ModelReadyRequest request;
  request.set_name("\xff");
  inference::ModelReadyResponse response;
  ::testing::internal::CaptureStderr();
  const grpc::Status refused = call(&Stub::ModelReady, request, response);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(refused.ok());
}

// Of whatever in this process uses protobuf.
TEST_F(GrpcDoorTest, WhatIsFatalToProtobufIsSaid) {
  open();
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(GOOGLE_LOG(FATAL) << "it ends here", google::protobuf::FatalException);
  GOOGLE_LOG(ERROR) << "no UTF-8";
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("forebay error: protobuf: it ends here"));
  EXPECT_THAT(said, Not(HasSubstr("no UTF-8")));
}

TEST_F(GrpcDoorTest, SettingsAreToldAndNotChanged) {
  GrpcDoorOptions options;
  options.log_settings = {{"log_info", true}, {"log_verbose_level", int64_t{0}}, {"log_file", std::string()}};
  open(options);
  inference::TraceSettingRequest trace;
  inference::TraceSettingResponse trace_settings;
  (*trace.mutable_settings())["trace_level"];  // asks to clear nothing
  ASSERT_TRUE(call(&Stub::TraceSetting, trace, trace_settings).ok());
  EXPECT_THAT(trace_settings.settings().at("trace_level").value(), ElementsAre("OFF"));
  EXPECT_EQ(trace_settings.settings().size(), 1);
  (*trace.mutable_settings())["trace_level"].add_value("OFF");  // as it is
  EXPECT_TRUE(call(&Stub::TraceSetting, trace, trace_settings).ok());
  (*trace.mutable_settings())["trace_level"].set_value(0, "TIMESTAMPS");
  const grpc::Status refused = call(&Stub::TraceSetting, trace, trace_settings);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("'trace_level'"));
  EXPECT_THAT(refused.error_message(), HasSubstr("--trace FILE"));
  inference::LogSettingsRequest log;
  inference::LogSettingsResponse log_settings;
  ASSERT_TRUE(call(&Stub::LogSettings, log, log_settings).ok());
  EXPECT_TRUE(log_settings.settings().at("log_info").bool_param());
  EXPECT_EQ(log_settings.settings().size(), 3);
  (*log.mutable_settings())["log_info"].set_bool_param(true);  // as it is
  EXPECT_TRUE(call(&Stub::LogSettings, log, log_settings).ok());
  (*log.mutable_settings())["log_info"].set_bool_param(false);
  EXPECT_EQ(call(&Stub::LogSettings, log, log_settings).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(GrpcDoorTest, OnlyTheTokenOpens) {
  GrpcDoorOptions options;
  options.token = "s3cret";
  open(options);
  for (const char* const wrong :
       {"", "Bearer s3cre7", "Bearer s3cret7", "Bearer ", "s3cret", "Basic s3cret"}) {
    EXPECT_EQ(infer_with(wrong).error_code(), grpc::StatusCode::UNAUTHENTICATED) << wrong;
  }
  EXPECT_TRUE(infer_with("Bearer s3cret").ok());
  inference::ServerMetadataResponse server;
  EXPECT_EQ(call(&Stub::ServerMetadata, {}, server).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  inference::RepositoryModelUnloadResponse unloaded;
  EXPECT_EQ(call(&Stub::RepositoryModelUnload, {}, unloaded).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  grpc::ClientContext context;
  limit(context);
  EXPECT_EQ(stub_->ModelStreamInfer(&context)->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  door_->set_ready();
  EXPECT_EQ(health(), 1);
}

TEST_F(GrpcDoorTest, TheSchemeOfATokenHasAnyCase) {
  GrpcDoorOptions options;
  options.token = "s3cret";
  open(options);
  EXPECT_TRUE(infer_with("bearer s3cret").ok());
  EXPECT_TRUE(infer_with("BEARER s3cret").ok());
  EXPECT_EQ(infer_with("bearer S3CRET").error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(GrpcDoorTest, HealthIsServingFromReadyToStop) {
  open();
  EXPECT_EQ(health(), 2);
  EXPECT_TRUE(infer_with("").ok());  // who asks all the same is answered
  door_->set_ready();
  EXPECT_EQ(health(), 1);
  door_->stop(0);
  door_->set_ready();  // too late, and no harm
}

TEST_F(GrpcDoorTest, PackedRequestsAreRefused) {
  open();
  for (const auto& [algorithm, name] :
       {std::pair(GRPC_COMPRESS_GZIP, "gzip"), std::pair(GRPC_COMPRESS_DEFLATE, "deflate")}) {
    grpc::ClientContext context;
    limit(context);
    context.set_compression_algorithm(algorithm);
    inference::ModelInferResponse response;
    const grpc::Status status = stub_->ModelInfer(
        &context, raw_request("any", "UINT8", {100'000}, std::string(100'000, 'x')), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_THAT(status.error_message(), HasSubstr(name));
  }
  EXPECT_EQ(models_.last().model, "");
}

TEST_F(GrpcDoorTest, Tls) {
  const TemporaryDirectory directory;
  const testing::SelfSigned own = testing::make_self_signed();
  GrpcDoorOptions options;
  options.tls.certificate_file = directory / "certificate.pem";
  options.tls.key_file = directory / "key.pem";
  std::ofstream(options.tls.certificate_file) << own.certificate;
  std::ofstream(options.tls.key_file) << own.key;
  open(options);
  EXPECT_EQ(infer_with("").error_code(), grpc::StatusCode::UNAVAILABLE);  // a client without TLS
  grpc::SslCredentialsOptions trusted;
  trusted.pem_root_certs = own.certificate;
  channel_ = grpc::CreateChannel("localhost:" + std::to_string(door_->port()), grpc::SslCredentials(trusted));
  stub_ = std::make_unique<Stub>(channel_);
  const grpc::Status status = infer_with("");
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(GrpcDoorTest, OptionsThatMakeNoSenseAreRefused) {
  GrpcDoorOptions options;
  options.address = "127.0.0.1:0";
  options.tls.certificate_file = "/nowhere.pem";
  EXPECT_THAT(std::string(message(GrpcDoor::start(models_, options).status())), HasSubstr("key"));
  options.tls.key_file = "/nowhere.key";
  EXPECT_THAT(std::string(message(GrpcDoor::start(models_, options).status())), HasSubstr("/nowhere.key"));
  options.tls = {};
  options.max_requests = 0;
  EXPECT_EQ(GrpcDoor::start(models_, options).status().code(), StatusCode::kInvalidArgument);
  options = {};
  options.address = "127.0.0.1:0";
  options.max_memory_bytes = options.max_message_bytes - 1;
  EXPECT_THAT(std::string(message(GrpcDoor::start(models_, options).status())),
              HasSubstr("max_memory_bytes"));
}

TEST_F(GrpcDoorTest, NamesAreNoAddresses) {
  for (const char* const right :
       {"127.0.0.1:0", "0.0.0.0:65535", "[::]:8001", "[fe80::1%lo]:1", "localhost:8001", "unix:/tmp/s"}) {
    EXPECT_TRUE(check_listen_address(right).ok()) << right;
  }
  for (const char* const wrong :
       {"", ":8001", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.1:1", "::1:8001",
        "[127.0.0.1]:1", "[::1:8001", "localhost.:1", "dns:localhost:1", "unix:"}) {
    EXPECT_EQ(check_listen_address(wrong).code(), StatusCode::kInvalidArgument) << wrong;
  }
  GrpcDoorOptions options;
  options.address = "a-host.invalid:0";
  const Status status = GrpcDoor::start(models_, options).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(status)), HasSubstr("'a-host.invalid:0'"));
}

TEST_F(GrpcDoorTest, AnAddressThatIsTakenIsSaid) {
  open();
  GrpcDoorOptions options;
  options.address = target();
  const Status status = GrpcDoor::start(models_, options).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(status)), HasSubstr(target()));
}

TEST_F(GrpcDoorTest, StopWaitsForAnswersAndRefusesWhatIsNew) {
  open();
  door_->set_ready();
  EXPECT_EQ(health(), 1);
  models_.hold();
  auto held = std::async(std::launch::async, [&] { return infer_with(""); });
  models_.wait_until_held(1);
  std::jthread stopping([&] { door_->stop(kNoDeadlineNs); });
  inference::ServerReadyResponse ready;
  do {
    ASSERT_TRUE(call(&Stub::ServerReady, {}, ready).ok());
  } while (ready.ready());
  EXPECT_EQ(health(), 2);
  EXPECT_EQ(infer_with("").error_code(), grpc::StatusCode::UNAVAILABLE);
  models_.release();
  EXPECT_TRUE(held.get().ok());
}

TEST_F(GrpcDoorTest, StopEndsWhatIsLeftAfterTheDeadline) {
  open();
  models_.hold();
  auto held = std::async(std::launch::async, [&] { return infer_with(""); });
  models_.wait_until_held(1);
  door_->stop(0);
  EXPECT_FALSE(held.get().ok());
  EXPECT_TRUE(models_.last().cancel.stop_requested());
  models_.release();  // an answer that nobody waits for
  door_->stop(0);
}

}  // namespace
}  // namespace forebay::serving
