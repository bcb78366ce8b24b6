// A door before a twin of models, and a real client of it over the loopback interface.
#pragma once

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sanitizers.h"
#include "forebay/serving/grpc/grpc_door.h"
#include "forebay/serving/grpc/inference.grpc.pb.h"
#include "forebay/serving/testing/echo_server.h"

namespace forebay::serving::testing {

/// Models: "any" takes what it is given, "pair" an input "x" of FP32 [-1, 2]. Every call is given up after a
/// minute, so that a test that hangs says where.
class GrpcDoorTestBase : public ::testing::Test {
 protected:
  using Stub = inference::GRPCInferenceService::Stub;

  GrpcDoorTestBase() {
    models_.add(metadata_of("any", {}));
    models_.add(metadata_of("pair", {{"x", Datatype::kFp32, {-1, 2}, {}}}));
  }

  void SetUp() override {
    if (kIsThreadSanitized) {
      GTEST_SKIP() << "ThreadSanitizer does not see gRPC's locks: Debian's gRPC was not compiled for it";
    }
  }

  static ModelMetadata metadata_of(const std::string& name, std::vector<TensorMetadata> inputs) {
    ModelMetadata metadata;
    metadata.name = name;
    metadata.versions = {"3"};
    metadata.platform = "echo";
    metadata.inputs = std::move(inputs);
    return metadata;
  }

  void open(GrpcDoorOptions options = {}) { open_before(models_, std::move(options)); }

  void open_before(ModelServer& models, GrpcDoorOptions options = {}) {
    options.address = "127.0.0.1:0";
    Result<std::unique_ptr<GrpcDoor>> door = GrpcDoor::start(models, std::move(options));
    ASSERT_TRUE(door.ok()) << door.status();
    door_ = *std::move(door);
    channel_ = grpc::CreateChannel(target(), grpc::InsecureChannelCredentials());
    stub_ = std::make_unique<Stub>(channel_);
  }

  std::string target() const { return "127.0.0.1:" + std::to_string(door_->port()); }

  static void limit(grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
  }

  /// A request with one input of raw bytes.
  static inference::ModelInferRequest raw_request(const std::string& model, const std::string& datatype,
                                                  const std::vector<int64_t>& shape, std::string bytes) {
    inference::ModelInferRequest request;
    request.set_model_name(model);
    add_input(request, "x", datatype, shape);
    request.add_raw_input_contents(std::move(bytes));
    return request;
  }

  static inference::ModelInferRequest::InferInputTensor& add_input(inference::ModelInferRequest& request,
                                                                   const std::string& name,
                                                                   const std::string& datatype,
                                                                   const std::vector<int64_t>& shape) {
    auto& input = *request.add_inputs();
    input.set_name(name);
    input.set_datatype(datatype);
    input.mutable_shape()->Add(shape.begin(), shape.end());
    return input;
  }

  grpc::Status infer(const inference::ModelInferRequest& request, inference::ModelInferResponse& response) {
    grpc::ClientContext context;
    limit(context);
    return stub_->ModelInfer(&context, request, &response);
  }

  grpc::Status infer(const inference::ModelInferRequest& request) {
    inference::ModelInferResponse response;
    return infer(request, response);
  }

  /// Calls a method of the stub.
  template <class Request, class Response>
  grpc::Status call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    limit(context);
    return ((*stub_).*method)(&context, request, &response);
  }

  EchoServer models_;
  std::unique_ptr<GrpcDoor> door_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Stub> stub_;
};

}  // namespace forebay::serving::testing
