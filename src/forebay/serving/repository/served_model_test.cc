#include "forebay/serving/repository/served_model.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "forebay/serving/testing/twin_models.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::int32_tensor;
using testing::TwinAnswer;
using testing::TwinModel;

/// A model of "x" and "y", each [-1, 4] for clients and [-1, 2, 2] for the model.
ModelConfig reshaping_config() {
  ModelConfig config;
  config.name = "twin";
  config.max_batch_size = 8;
  ConfigTensor tensor;
  tensor.datatype = Datatype::kInt32;
  tensor.dims = {4};
  tensor.reshape = std::vector<int64_t>{2, 2};
  tensor.name = "x";
  config.inputs = {tensor};
  tensor.name = "y";
  config.outputs = {tensor};
  return config;
}

Result<InferResponse> ask(const ModelConfig& config, const InferRequest& request,
                          testing::TwinFunction function) {
  const auto twin = std::make_shared<TwinModel>(testing::twin_metadata(), std::move(function));
  const auto served = ServedModel::create(twin, config, "1", "").value();
  TwinAnswer answer;
  served->infer(request, answer.answer());
  return answer.get();
}

InferRequest request_of_shape(std::vector<int64_t> shape) {
  InferRequest request;
  const int64_t volume = volume_of(shape).value();
  request.inputs = {int32_tensor("x", std::move(shape), std::vector<int32_t>(static_cast<size_t>(volume)))};
  return request;
}

TEST(ServedModel, ShapesAreThoseOfTheClient) {
  const auto echo = [](const InferRequest& request) {
    EXPECT_THAT(request.inputs.at(0).shape, ElementsAre(3, 2, 2));
    return testing::doubled(request);
  };
  const Result<InferResponse> response = ask(reshaping_config(), request_of_shape({3, 4}), echo);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->outputs.at(0).shape, ElementsAre(3, 4));
}

TEST(ServedModel, AnInputThatCannotBeReshapedIsAnError) {
  ModelConfig config = reshaping_config();
  config.inputs[0].takes_any = true;
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3}, {3, 5}, {3, 2, 2, 2}, {3, 1, 4}}) {
    const Result<InferResponse> response = ask(config, request_of_shape(shape), testing::doubled);
    EXPECT_EQ(response.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(message(response.status())), HasSubstr("input 'x': the shape [3"));
  }
}

TEST(ServedModel, AnOutputThatCannotBeReshapedIsTheModelsError) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {3}, {3, 4}, {3, 2, 3}, {3, 2, 2, 1}}) {
    const auto of_shape = [&](const InferRequest&) {
      InferResponse response;
      const int64_t volume = volume_of(shape).value();
      response.outputs = {int32_tensor("y", shape, std::vector<int32_t>(static_cast<size_t>(volume)))};
      return Result<InferResponse>(response);
    };
    const Result<InferResponse> response = ask(reshaping_config(), request_of_shape({3, 4}), of_shape);
    EXPECT_EQ(response.status().code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(message(response.status())), HasSubstr("output 'y': the shape ["));
  }
}

TEST(ServedModel, RefusedRequestsAreNoExecutions) {
  StatusCode code = StatusCode::kOk;
  const auto gives_code = [&](const InferRequest& request) {
    return code == StatusCode::kOk ? testing::doubled(request)
                                   : Result<InferResponse>(make_status(code, "no"));
  };
  const auto twin = std::make_shared<TwinModel>(testing::twin_metadata(), gives_code);
  const ModelConfig config = filled_from(ModelConfig(), twin->metadata()).value();
  const auto served = ServedModel::create(twin, config, "1", "").value();
  for (const StatusCode each : {StatusCode::kOk, StatusCode::kInternal, StatusCode::kResourceExhausted,
                                StatusCode::kUnavailable, StatusCode::kCancelled}) {
    code = each;
    TwinAnswer answer;
    served->infer(testing::twin_request(1, {1}), answer.answer());
  }
  EXPECT_EQ(served->statistics().failure_count, 4);
  EXPECT_EQ(served->statistics().execution_count, 2);
}

}  // namespace
}  // namespace forebay::serving
