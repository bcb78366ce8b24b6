#include "forebay/serving/ensembles/ensemble.h"

#include <gmock/gmock.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/memory/copy.h"
#include "forebay/serving/testing/twin_models.h"
#include "forebay/serving/testing/twin_server.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::int32_tensor;
using testing::int32_values;
using testing::twin_tensor;
using testing::TwinAnswer;
using testing::TwinModel;
using testing::TwinPace;
using testing::TwinServer;

/// "out" = "a" + "b" + `more`; "b" may be left out.
std::shared_ptr<TwinModel> adder(int32_t more, TwinPace pace = TwinPace::kAtOnce) {
  ModelMetadata metadata;
  metadata.name = "add";
  metadata.inputs = {twin_tensor("a", {-1}), twin_tensor("b", {-1})};
  metadata.inputs[1].is_optional = true;
  metadata.outputs = {twin_tensor("out", {-1})};
  const auto add = [more](const InferRequest& request) -> Result<InferResponse> {
    std::vector<int32_t> sum(int32_values(request.inputs.at(0)).size(), more);
    for (const NamedTensor& input : request.inputs) {
      for (size_t i = 0; i < sum.size(); ++i) {
        sum[i] += int32_values(input).at(i);
      }
    }
    if (sum[0] < 0) {
      return invalid_argument("the sum is {}", sum[0]);
    }
    InferResponse response;
    response.outputs = {int32_tensor("out", request.inputs[0].shape, sum)};
    response.timing.compute_ns = more;
    return response;
  };
  return std::make_shared<TwinModel>(metadata, add, pace);
}

ModelMetadata ensemble_metadata(std::vector<std::string> inputs = {"x"},
                                std::vector<std::string> outputs = {"y"}) {
  ModelMetadata metadata;
  metadata.name = "sums";
  for (const std::string& name : inputs) {
    metadata.inputs.push_back(twin_tensor(name, {-1}));
  }
  for (const std::string& name : outputs) {
    metadata.outputs.push_back(twin_tensor(name, {-1}));
  }
  return metadata;
}

/// x -> left, x -> right, left + right -> y
std::vector<EnsembleStep> diamond() {
  return {{"join", "", {{"a", "left"}, {"b", "right"}}, {{"out", "y"}}},
          {"one", "", {{"a", "x"}}, {{"out", "left"}}},
          {"ten", "", {{"a", "x"}}, {{"out", "right"}}}};
}

struct Members {
  TwinServer server;
  std::shared_ptr<TwinModel> one;
  std::shared_ptr<TwinModel> ten;
  std::shared_ptr<TwinModel> join;

  explicit Members(TwinPace pace = TwinPace::kAtOnce)
      : one(adder(1, pace)), ten(adder(10, pace)), join(adder(0, pace)) {
    server.set("one", one);
    server.set("ten", ten);
    server.set("join", join);
  }
};

InferRequest x_request(const std::vector<int32_t>& values) {
  InferRequest request;
  request.model = "sums";
  request.inputs = {int32_tensor("x", {static_cast<int64_t>(values.size())}, values)};
  return request;
}

std::string plan_error(const ModelMetadata& metadata, const std::vector<EnsembleStep>& steps) {
  Members members;
  return std::string(message(Ensemble::create(metadata, steps, members.server).status()));
}

TEST(Ensemble, StepsRunOnceTheirTensorsAreThere) {
  Members members;
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  TwinAnswer answer;
  ensemble->infer(x_request({1, 2}), answer.answer());
  ASSERT_TRUE(answer.get().ok()) << answer.get().status();
  const InferResponse& response = *answer.get();
  EXPECT_THAT(int32_values(response.outputs.at(0)), ElementsAre(13, 15));
  EXPECT_EQ(response.outputs[0].name, "y");
  ASSERT_EQ(response.steps.size(), 3);
  EXPECT_EQ(response.steps[0].first, "join");
  EXPECT_EQ(response.steps[2].second.compute_ns, 10);
}

TEST(Ensemble, StepsThatAreReadyRunBesideEachOther) {
  Members members(TwinPace::kWhenTold);
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  TwinAnswer answer;
  ensemble->infer(x_request({1}), answer.answer());
  EXPECT_EQ(members.one->waiting() + members.ten->waiting(), 2);
  EXPECT_EQ(members.join->waiting(), 0);
  members.ten->answer_next();
  members.one->answer_next();
  EXPECT_EQ(members.join->waiting(), 1);
  EXPECT_FALSE(answer.is_there());
  members.join->answer_next();
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(13));
}

TEST(Ensemble, TensorsAreSharedAndTheRestIsPassedOn) {
  Members members;
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  InferRequest request = x_request({1, 2, 3});
  request.deadline_ns = kNoDeadlineNs - 1;
  request.priority = 2;
  request.key = 5;
  request.epoch = 6;
  request.parameters["p"] = true;
  const memory::BufferRef buffer = request.inputs[0].buffer;
  const uint64_t copied = memory::bytes_copied();
  TwinAnswer answer;
  ensemble->infer(std::move(request), answer.answer());
  EXPECT_EQ(memory::bytes_copied(), copied);
  const InferRequest got = members.ten->requests().at(0);
  EXPECT_EQ(got.inputs[0].buffer, buffer);
  EXPECT_EQ(got.inputs[0].name, "a");
  EXPECT_EQ(got.outputs.at(0).name, "out");
  EXPECT_EQ(got.deadline_ns, kNoDeadlineNs - 1);
  EXPECT_EQ(got.priority, 2);
  EXPECT_EQ(got.key, 5);
  EXPECT_EQ(got.epoch, 6);
  EXPECT_EQ(got.parameters.size(), 1);
}

TEST(Ensemble, TheFirstErrorIsTheAnswerAndNamesItsStep) {
  Members members(TwinPace::kWhenTold);
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  TwinAnswer answer;
  ensemble->infer(x_request({-5}), answer.answer());
  members.one->answer_next();
  ASSERT_TRUE(answer.is_there()) << "without waiting for the other step";
  EXPECT_EQ(answer.get().status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(answer.get().status())), HasSubstr("step 1 (model 'one'): the sum is -4"));
  members.ten->answer_next();
  EXPECT_EQ(members.join->requests().size(), 0);
}

TEST(Ensemble, AMemberThatIsLoadedAgainTakesPart) {
  Members members;
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  members.server.set("ten", adder(100));
  TwinAnswer again;
  ensemble->infer(x_request({1}), again.answer());
  EXPECT_THAT(int32_values(again.get()->outputs[0]), ElementsAre(103));
  members.server.set("ten", nullptr);
  TwinAnswer missing;
  ensemble->infer(x_request({1}), missing.answer());
  EXPECT_THAT(std::string(message(missing.get().status())), HasSubstr("step 2 (model 'ten')"));
}

TEST(Ensemble, NoStepBeginsAfterTheDeadline) {
  SteppedClock clock;
  Members members(TwinPace::kWhenTold);
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server, clock).value();
  InferRequest request = x_request({1});
  request.deadline_ns = 100;
  TwinAnswer answer;
  ensemble->infer(std::move(request), answer.answer());
  clock.advance_ns(100);
  members.one->answer_next();
  members.ten->answer_next();
  EXPECT_EQ(members.join->requests().size(), 0);
  EXPECT_EQ(answer.get().status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(message(answer.get().status())), HasSubstr("step 0 (model 'join')"));
}

TEST(Ensemble, NoStepBeginsForACancelledRequest) {
  Members members(TwinPace::kWhenTold);
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  std::stop_source stop;
  InferRequest request = x_request({1});
  request.cancel = stop.get_token();
  TwinAnswer answer;
  ensemble->infer(std::move(request), answer.answer());
  EXPECT_EQ(members.one->requests().at(0).cancel, stop.get_token()) << "steps that run are told";
  stop.request_stop();
  members.one->answer_next();
  members.ten->answer_next();
  EXPECT_EQ(members.join->requests().size(), 0);
  EXPECT_EQ(answer.get().status().code(), StatusCode::kCancelled);
}

TEST(Ensemble, ItIsReadyWhileItsMembersAre) {
  Members members;
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  EXPECT_EQ(ensemble->status(), ok_status());
  members.ten->set_status(unavailable("its process ended"));
  EXPECT_EQ(ensemble->status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(message(ensemble->status())), HasSubstr("step 2 (model 'ten')"));
}

TEST(Ensemble, AnOptionalInputMayBeLeftOut) {
  Members members;
  ModelMetadata metadata = ensemble_metadata({"x", "extra"});
  metadata.inputs[1].is_optional = true;
  const std::vector<EnsembleStep> steps = {{"one", "", {{"a", "x"}, {"b", "extra"}}, {{"out", "y"}}}};
  const auto ensemble = Ensemble::create(metadata, steps, members.server).value();
  TwinAnswer answer;
  ensemble->infer(x_request({1}), answer.answer());
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(2));
}

TEST(Ensemble, ALongChainNeedsNoStack) {
  Members members;
  std::vector<EnsembleStep> steps;
  constexpr int kSteps = 5000;
  for (int i = 0; i < kSteps; ++i) {
    const std::string to = i + 1 == kSteps ? "y" : fmt::format("t{}", i);
    steps.push_back({"one", "", {{"a", i == 0 ? "x" : fmt::format("t{}", i - 1)}}, {{"out", to}}});
  }
  const auto ensemble = Ensemble::create(ensemble_metadata(), steps, members.server).value();
  TwinAnswer answer;
  ensemble->infer(x_request({0}), answer.answer());
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(kSteps));
}

TEST(Ensemble, CloseAnswersWhatIsLeft) {
  Members members(TwinPace::kWhenTold);
  const auto ensemble = Ensemble::create(ensemble_metadata(), diamond(), members.server).value();
  TwinAnswer answer;
  ensemble->infer(x_request({1}), answer.answer());
  ensemble->close(0);
  EXPECT_EQ(answer.get().status().code(), StatusCode::kUnavailable);
  members.one->answer_next();
  TwinAnswer refused;
  ensemble->infer(x_request({1}), refused.answer());
  EXPECT_EQ(refused.get().status().code(), StatusCode::kUnavailable);
}

TEST(EnsemblePlan, WhatIsWrongIsNamed) {
  const ModelMetadata metadata = ensemble_metadata();
  std::vector<EnsembleStep> steps = diamond();
  steps[1].model = "on";
  EXPECT_THAT(plan_error(metadata, steps), AllOf(HasSubstr("step 1 (model 'on')"), HasSubstr("not loaded")));
  steps = diamond();
  steps[0].inputs["a"] = "lef";
  EXPECT_THAT(plan_error(metadata, steps),
              AllOf(HasSubstr("'lef' is neither"), HasSubstr("is 'left' meant?")));
  steps = diamond();
  steps[2].outputs["out"] = "left";
  EXPECT_THAT(plan_error(metadata, steps), HasSubstr("'left' comes from step 1 (model 'one') already"));
  steps = diamond();
  steps[2].outputs = {{"ou", "right"}};
  EXPECT_THAT(plan_error(metadata, steps), HasSubstr("the model has no output 'ou'; is 'out' meant?"));
  steps = diamond();
  steps[1].inputs = {{"b", "x"}};
  EXPECT_THAT(plan_error(metadata, steps),
              HasSubstr("step 1 (model 'one'): the model's input 'a' is not in"));
  steps = diamond();
  steps[0].outputs = {{"out", "z"}};
  EXPECT_THAT(plan_error(metadata, steps), HasSubstr("output 'y'"));
  EXPECT_THAT(plan_error(ensemble_metadata({}), diamond()), HasSubstr("lists its inputs and outputs"));
}

TEST(EnsemblePlan, ARingIsRefused) {
  std::vector<EnsembleStep> steps = diamond();
  steps[1].inputs["b"] = "y";
  EXPECT_THAT(
      plan_error(ensemble_metadata(), steps),
      AllOf(HasSubstr("in a ring"), HasSubstr("step 0 (model 'join')"), HasSubstr("step 1 (model 'one')")));
}

TEST(EnsemblePlan, DatatypesAndShapesMustAgree) {
  ModelMetadata metadata = ensemble_metadata();
  metadata.inputs[0].datatype = Datatype::kFp32;
  EXPECT_THAT(plan_error(metadata, diamond()),
              AllOf(HasSubstr("FP32 from the ensemble's inputs"), HasSubstr("INT32")));
  metadata = ensemble_metadata();
  metadata.outputs[0].shape = {-1, 3};
  EXPECT_THAT(plan_error(metadata, diamond()), AllOf(HasSubstr("[-1] from step 0"), HasSubstr("[-1, 3]")));
}

}  // namespace
}  // namespace forebay::serving
