// "timing": where the time of a request went, in its answer.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "forebay/serving/testing/grpc_door_test_base.h"
#include "forebay/serving/testing/twin_models.h"
#include "forebay/serving/testing/twin_server.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

class GrpcTimingTest : public testing::GrpcDoorTestBase {
 protected:
  /// Models: "one", and "ensemble" with two steps.
  GrpcTimingTest() {
    timed_.set("one", timed_model({}));
    timed_.set("ensemble", timed_model({{"a", {1, 2, 3, 4}}, {"b\xFF", {5, 6, 7, 8}}}));
  }

  /// Not before it is known whether the test runs.
  void SetUp() override {
    GrpcDoorTestBase::SetUp();
    if (!IsSkipped()) {
      open_before(timed_);
    }
  }

  std::shared_ptr<Model> timed_model(std::vector<std::pair<std::string, Timing>> steps) {
    return std::make_shared<testing::TwinModel>(
        testing::twin_metadata(), [this, steps](const InferRequest& request) -> Result<InferResponse> {
          got_ = request.parameters;
          InferResponse response;
          response.model = request.model;
          response.parameters = {{"input_ns", std::string("the model's own")}};
          response.timing = {10, 20, 30, 40};
          response.steps = steps;
          return response;
        });
  }

  static inference::ModelInferRequest timed_request(const std::string& model, bool has_timing) {
    inference::ModelInferRequest request = raw_request(model, "UINT8", {1}, "a");
    (*request.mutable_parameters())["timing"].set_bool_param(has_timing);
    return request;
  }

  Parameters got_;  // by the last model that was asked
  testing::TwinServer timed_;
};

TEST_F(GrpcTimingTest, IsToldToWhoAsks) {
  inference::ModelInferResponse response;
  ASSERT_TRUE(infer(timed_request("one", true), response).ok());
  EXPECT_TRUE(got_.empty());
  EXPECT_EQ(response.parameters().at("queue_ns").int64_param(), 10);
  EXPECT_EQ(response.parameters().at("input_ns").string_param(), "the model's own");
  EXPECT_EQ(response.parameters().at("compute_ns").int64_param(), 30);
  EXPECT_EQ(response.parameters().at("output_ns").int64_param(), 40);
  EXPECT_EQ(response.parameters().size(), 4);
  ASSERT_TRUE(infer(timed_request("one", false), response).ok());
  EXPECT_TRUE(got_.empty());
  EXPECT_EQ(response.parameters().size(), 1);
}

TEST_F(GrpcTimingTest, HasTheStepsOfAnEnsemble) {
  grpc::ClientContext context;
  limit(context);
  const auto stream = stub_->ModelStreamInfer(&context);
  ASSERT_TRUE(stream->Write(timed_request("ensemble", true)));
  inference::ModelStreamInferResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  const auto& parameters = answer.infer_response().parameters();
  EXPECT_EQ(parameters.at("queue_ns").int64_param(), 10);
  const auto steps = nlohmann::json::parse(parameters.at("steps").string_param());
  ASSERT_EQ(steps.size(), 2);
  EXPECT_EQ(steps[0],
            nlohmann::json(
                {{"model", "a"}, {"queue_ns", 1}, {"input_ns", 2}, {"compute_ns", 3}, {"output_ns", 4}}));
  EXPECT_EQ(steps[1].at("model"), "b\xEF\xBF\xBD");
}

TEST_F(GrpcTimingTest, IsTrueOrFalse) {
  inference::ModelInferRequest request = raw_request("one", "UINT8", {1}, "a");
  (*request.mutable_parameters())["timing"].set_int64_param(1);
  const grpc::Status status = infer(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("'timing'"));
}

}  // namespace
}  // namespace forebay::serving
