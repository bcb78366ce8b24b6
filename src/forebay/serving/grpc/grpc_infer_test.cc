// ModelInfer over a real connection: contents of every kind, and what is refused.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <future>
#include <limits>
#include <thread>

#include "forebay/base/clock.h"
#include "forebay/serving/testing/grpc_door_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GrpcInferTest : public testing::GrpcDoorTestBase {};

template <class T>
std::string bytes_from(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

TEST_F(GrpcInferTest, RawBytesComeBack) {
  open();
  // Of several pieces of gRPC, and of one.
  for (const size_t count : {size_t{2}, size_t{1} << 19}) {
    std::string bytes(count * 4, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(i * 7 + i / 251);
    }
    inference::ModelInferRequest request =
        raw_request("pair", "FP32", {static_cast<int64_t>(count) / 2, 2}, bytes);
    request.set_id("a");
    inference::ModelInferResponse response;
    const grpc::Status status = infer(request, response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.id(), "a");
    EXPECT_EQ(response.model_name(), "pair");
    EXPECT_EQ(response.model_version(), "3");
    ASSERT_EQ(response.outputs_size(), 1);
    EXPECT_EQ(response.outputs(0).name(), "x");
    EXPECT_EQ(response.outputs(0).datatype(), "FP32");
    EXPECT_THAT(response.outputs(0).shape(), ElementsAre(static_cast<int64_t>(count) / 2, 2));
    ASSERT_EQ(response.raw_output_contents_size(), 1);
    EXPECT_TRUE(response.raw_output_contents(0) == bytes);
  }
}

struct TypedCase {
  std::string datatype;
  std::function<void(inference::InferTensorContents&)> fill;
  std::string bytes;
};

std::vector<TypedCase> typed_cases() {
  using Contents = inference::InferTensorContents;
  const auto ints = [](Contents& contents) { contents.mutable_int_contents()->Add(-3); };
  const auto uints = [](Contents& contents) { contents.mutable_uint_contents()->Add(200); };
  return {
      {"BOOL", [](Contents& contents) { contents.add_bool_contents(true); }, "\1"},
      {"INT8", ints, bytes_from<int8_t>({-3})},
      {"INT16", ints, bytes_from<int16_t>({-3})},
      {"INT32", ints, bytes_from<int32_t>({-3})},
      {"INT64", [](Contents& contents) { contents.add_int64_contents(-5); }, bytes_from<int64_t>({-5})},
      {"UINT8", uints, bytes_from<uint8_t>({200})},
      {"UINT16", uints, bytes_from<uint16_t>({200})},
      {"UINT32", uints, bytes_from<uint32_t>({200})},
      {"UINT64", [](Contents& contents) { contents.add_uint64_contents(~uint64_t{0}); },
       bytes_from<uint64_t>({~uint64_t{0}})},
      {"FP32", [](Contents& contents) { contents.add_fp32_contents(1.5F); }, bytes_from<float>({1.5F})},
      {"FP64", [](Contents& contents) { contents.add_fp64_contents(0.1); }, bytes_from<double>({0.1})},
      {"BYTES", [](Contents& contents) { contents.add_bytes_contents("ab"); }, std::string("\2\0\0\0ab", 6)},
  };
}

TEST_F(GrpcInferTest, TypedContentsOfEachDatatype) {
  open();
  for (const TypedCase& each : typed_cases()) {
    inference::ModelInferRequest request;
    request.set_model_name("any");
    each.fill(*add_input(request, "x", each.datatype, {1}).mutable_contents());
    inference::ModelInferResponse response;
    const grpc::Status status = infer(request, response);
    ASSERT_TRUE(status.ok()) << each.datatype << ": " << status.error_message();
    EXPECT_EQ(response.raw_output_contents(0), each.bytes) << each.datatype;
    EXPECT_EQ(response.outputs(0).datatype(), each.datatype);
  }
}

TEST_F(GrpcInferTest, RawContentsOfEachDatatype) {
  open();
  for (const char* const datatype : {"BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32",
                                     "INT64", "FP16", "BF16", "FP32", "FP64"}) {
    const std::string bytes(size_of(datatype_of(std::string_view(datatype)).value()) * 3, '\1');
    inference::ModelInferResponse response;
    const grpc::Status status = infer(raw_request("any", datatype, {3}, bytes), response);
    ASSERT_TRUE(status.ok()) << datatype << ": " << status.error_message();
    EXPECT_EQ(response.raw_output_contents(0), bytes) << datatype;
  }
}

TEST_F(GrpcInferTest, TypedContentsThatDoNotFitAreRefused) {
  open();
  using Contents = inference::InferTensorContents;
  const std::vector<std::pair<std::string, std::function<void(Contents&)>>> cases = {
      {"INT8", [](Contents& contents) { contents.add_int_contents(128); }},
      {"UINT16", [](Contents& contents) { contents.add_uint_contents(1U << 16U); }},
      {"FP32", [](Contents& contents) { contents.add_fp64_contents(1); }},
      {"INT64", [](Contents&) {}},
      {"BOOL",
       [](Contents& contents) {
         contents.add_bool_contents(true);
         contents.add_int_contents(1);
       }},
  };
  for (const auto& [datatype, fill] : cases) {
    inference::ModelInferRequest request;
    request.set_model_name("any");
    fill(*add_input(request, "x", datatype, {1}).mutable_contents());
    const grpc::Status status = infer(request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << datatype;
    EXPECT_THAT(status.error_message(), HasSubstr("'x'"));
  }
  inference::ModelInferRequest request;
  request.set_model_name("any");
  add_input(request, "x", "FP16", {1}).mutable_contents()->add_fp32_contents(1);
  EXPECT_EQ(infer(request).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(GrpcInferTest, WrongBytesAreRefused) {
  open();
  const std::vector<std::tuple<std::string, std::vector<int64_t>, std::string>> cases = {
      {"FP32", {3}, std::string(8, 'x')},
      {"FP32", {-1}, std::string(8, 'x')},
      {"FP32", {2}, ""},
      {"BYTES", {1}, "\x7f"},
      {"FLOAT", {2}, std::string(8, 'x')},
      {"BOOL", {1}, "\2"},
      {"BYTES", {1}, std::string("\x09\0\0\0ab", 6)}};
  for (const auto& [datatype, shape, bytes] : cases) {
    const grpc::Status status = infer(raw_request("any", datatype, shape, bytes));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << datatype << bytes;
    EXPECT_THAT(status.error_message(), HasSubstr("'x'"));
  }
}

TEST_F(GrpcInferTest, RawContentsMustBeAsManyAsInputs) {
  open();
  inference::ModelInferRequest request = raw_request("any", "UINT8", {1}, "a");
  add_input(request, "y", "UINT8", {1});
  EXPECT_THAT(infer(request).error_message(), HasSubstr("input 'y' has no entry"));
  request.add_raw_input_contents("b");
  EXPECT_TRUE(infer(request).ok());
  request.add_raw_input_contents("c");
  EXPECT_EQ(infer(request).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.mutable_raw_input_contents()->RemoveLast();
  request.mutable_inputs(0)->mutable_contents()->add_uint_contents(1);
  EXPECT_THAT(infer(request).error_message(), HasSubstr("only one is allowed"));
}

TEST_F(GrpcInferTest, ErrorsOfModelsKeepTheirCode) {
  open();
  EXPECT_EQ(infer(raw_request("none", "UINT8", {1}, "a")).error_code(), grpc::StatusCode::NOT_FOUND);
  inference::ModelInferRequest request = raw_request("any", "UINT8", {1}, "a");
  request.set_model_version("7");
  EXPECT_THAT(infer(request).error_message(), HasSubstr("version 7"));
  request.clear_model_version();
  request.add_outputs()->set_name("y");
  EXPECT_EQ(infer(request).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.clear_outputs();
  for (const StatusCode code : {StatusCode::kUnavailable, StatusCode::kResourceExhausted,
                                StatusCode::kDataLoss, StatusCode::kUnimplemented}) {
    models_.fail_with("any", Status(code, "as told"));
    const grpc::Status status = infer(request);
    EXPECT_EQ(static_cast<int>(status.error_code()), static_cast<int>(code));
    EXPECT_EQ(status.error_message(), "as told");
  }
  models_.fail_with("any", internal_error("{}", std::string(100'000, 'x')));
  EXPECT_EQ(infer(request).error_code(), grpc::StatusCode::INTERNAL);
}

TEST_F(GrpcInferTest, ParametersReachTheModel) {
  open();
  inference::ModelInferRequest request = raw_request("any", "UINT8", {1}, "a");
  auto& parameters = *request.mutable_parameters();
  parameters["timeout"].set_int64_param(3'600'000'000);
  parameters["priority"].set_uint64_param(2);
  parameters["key"].set_int64_param(-9);
  parameters["epoch"].set_int64_param(4);
  parameters["flag"].set_bool_param(true);
  parameters["scale"].set_double_param(0.5);
  parameters["mode"].set_string_param("fast");
  inference::ModelInferResponse response;
  ASSERT_TRUE(infer(request, response).ok());
  const InferRequest got = models_.last();
  EXPECT_EQ(got.priority, 2);
  EXPECT_EQ(got.key, -9);
  EXPECT_EQ(got.epoch, 4);
  // The call's own deadline, a minute, is earlier.
  EXPECT_LT(got.deadline_ns, steady_clock().now_ns() + int64_t{61} * 1'000'000'000);
  EXPECT_EQ(got.parameters.size(), 3);
  EXPECT_TRUE(response.parameters().at("flag").bool_param());
  EXPECT_EQ(response.parameters().at("scale").double_param(), 0.5);
  EXPECT_EQ(response.parameters().at("mode").string_param(), "fast");

  for (const double value : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    parameters["scale"].set_double_param(value);
    const grpc::Status status = infer(request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << value;
    EXPECT_THAT(status.error_message(), HasSubstr("'scale'"));
  }
  parameters.erase("scale");
  parameters["priority"].set_uint64_param(uint64_t{1} << 63);  // as over HTTP
  ASSERT_TRUE(infer(request).ok());
  EXPECT_EQ(models_.last().priority, (uint64_t{1} << 63) - 1);
  parameters["timeout"].set_string_param("soon");
  EXPECT_THAT(infer(request).error_message(), HasSubstr("'timeout'"));
}

TEST_F(GrpcInferTest, APassedDeadlineIsSaid) {
  open();
  models_.hold();
  inference::ModelInferRequest request = raw_request("any", "UINT8", {1}, "a");
  (*request.mutable_parameters())["timeout"].set_int64_param(1);
  auto status = std::async(std::launch::async, [&] { return infer(request); });
  models_.wait_until_held(1);
  while (steady_clock().now_ns() <= models_.last().deadline_ns) {
  }
  models_.release();
  EXPECT_EQ(status.get().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcInferTest, TheDeadlineOfTheCallEndsIt) {
  open();
  models_.hold();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(20));
  inference::ModelInferResponse response;
  EXPECT_EQ(stub_->ModelInfer(&context, raw_request("any", "UINT8", {1}, "a"), &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcInferTest, AClientThatGoesAwayCancels) {
  GrpcDoorOptions options;
  options.max_requests = 1;
  open(options);
  models_.hold();
  const inference::ModelInferRequest request = raw_request("any", "UINT8", {1}, "a");
  grpc::ClientContext context;
  inference::ModelInferResponse response;
  auto status =
      std::async(std::launch::async, [&] { return stub_->ModelInfer(&context, request, &response); });
  models_.wait_until_held(1);
  context.TryCancel();
  EXPECT_EQ(status.get().error_code(), grpc::StatusCode::CANCELLED);
  models_.wait_until_cancelled();
  // The model has it still, so its place is taken.
  EXPECT_EQ(infer(request).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  models_.release();
  EXPECT_TRUE(infer(request).ok());
}

TEST_F(GrpcInferTest, MessagesAboveTheLimitAreRefused) {
  GrpcDoorOptions options;
  options.max_message_bytes = 1000;
  open(options);
  EXPECT_TRUE(infer(raw_request("any", "UINT8", {500}, std::string(500, 'x'))).ok());
  EXPECT_EQ(infer(raw_request("any", "UINT8", {2000}, std::string(2000, 'x'))).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcInferTest, PackedMessagesAreRefused) {
  open();
  grpc::ClientContext context;
  limit(context);
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  inference::ModelInferResponse response;
  const inference::ModelInferRequest request = raw_request("any", "UINT8", {5000}, std::string(5000, 'x'));
  EXPECT_EQ(stub_->ModelInfer(&context, request, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace forebay::serving
