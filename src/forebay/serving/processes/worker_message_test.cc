#include "forebay/serving/processes/worker_message.h"

#include <gmock/gmock.h>

#include "forebay/base/testing/fuzz_seed.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

AnswerMessage sample_answer() {
  AnswerMessage answer;
  answer.number = 3;
  answer.outputs = {{"y", Datatype::kFp32, {2, 3}, 64, 24}};
  answer.slab = 2;
  answer.slab_bytes = 4096;
  answer.dropped = {1};
  answer.timing = {.input_ns = 1, .compute_ns = 2, .output_ns = 3};
  return answer;
}

InferMessage sample_infer() {
  InferMessage infer;
  infer.number = 3;
  infer.id = "seven";
  infer.inputs = {{"x", Datatype::kBytes, {0}, 0, 0}};
  infer.outputs = {"y"};
  infer.parameters = {{"a", true}, {"b", int64_t{-1}}, {"c", 0.5}, {"d", "text"}};
  infer.slab_bytes = 8192;
  infer.freed = {2};
  return infer;
}

TEST(WorkerMessage, AnswersComeBackAsTheyWereWritten) {
  const WorkerMessage message = parse_worker_message(to_json(sample_answer())).value();
  const auto& answer = std::get<AnswerMessage>(message);
  EXPECT_TRUE(answer.status.ok());
  EXPECT_EQ(to_json(answer), to_json(sample_answer()));
  EXPECT_EQ(answer.outputs[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(answer.timing.compute_ns, 2);
}

TEST(WorkerMessage, RequestsComeBackAsTheyWereWritten) {
  const InferMessage infer = parse_infer_message(to_json(sample_infer())).value();
  EXPECT_EQ(to_json(infer), to_json(sample_infer()));
  EXPECT_EQ(infer.parameters, sample_infer().parameters);
}

TEST(WorkerMessage, ARequestThatIsWrongKeepsWhatIsNeededToAnswerIt) {
  const InferMessage infer =
      parse_infer_message(R"({"number":3,"id":"a","freed":[2],"slab_bytes":4096,"parameters":{"x":null}})")
          .value();
  EXPECT_EQ(infer.number, 3);
  EXPECT_EQ(infer.slab_bytes, 4096);
  EXPECT_THAT(infer.freed, ::testing::ElementsAre(2));
  EXPECT_THAT(std::string(message(infer.problem)), HasSubstr("'parameters'"));
  EXPECT_FALSE(parse_infer_message(R"({"id":"a"})").ok());
}

TEST(WorkerMessage, TheLongestErrorFitsIntoAMessage) {
  const Status status = internal_error("{}", std::string(100'000, '\x01'));
  EXPECT_LT(to_json(FailedMessage{status}).size(), size_t{60} << 10);
}

TEST(WorkerMessage, ErrorsKeepTheirCode) {
  const WorkerMessage message =
      parse_worker_message(to_json(FailedMessage{not_found("no \xff file")})).value();
  EXPECT_EQ(std::get<FailedMessage>(message).status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(forebay::message(std::get<FailedMessage>(message).status)), HasSubstr("no "));
}

TEST(WorkerMessage, WhatIsNoMessageNamesTheField) {
  const auto refused = [](const char* json) {
    return std::string(message(parse_worker_message(json).status()));
  };
  EXPECT_THAT(refused(""), HasSubstr("no JSON object"));
  EXPECT_THAT(refused("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refused("{}"), HasSubstr("'kind'"));
  EXPECT_THAT(refused(R"({"kind":"else"})"), HasSubstr("'else'"));
  EXPECT_THAT(refused(R"({"kind":"answer"})"), HasSubstr("'number'"));
  EXPECT_THAT(refused(R"({"kind":"answer","number":-1})"), HasSubstr("'number'"));
  EXPECT_THAT(refused(R"({"kind":"answer","number":1,"slab":1.5})"), HasSubstr("'slab'"));
  EXPECT_THAT(refused(R"({"kind":"answer","number":1,"outputs":{}})"), HasSubstr("'outputs'"));
  EXPECT_THAT(refused(R"({"kind":"answer","number":1,"outputs":[1]})"), HasSubstr("'outputs'"));
  EXPECT_THAT(refused(R"({"kind":"answer","number":1,"outputs":[{"name":"y"}]})"), HasSubstr("'datatype'"));
  EXPECT_THAT(refused(R"({"kind":"failed"})"), HasSubstr("'code'"));
  EXPECT_THAT(refused(R"({"kind":"ready","platform":"p","max_batch_size":-1})"), HasSubstr("max_batch_size"));
}

TEST(WorkerMessage, SeedsOfTheFuzzer) {
  ReadyMessage ready = {
      .platform = "p", .inputs = {{"x", Datatype::kInt64, {-1, 3}, {}}}, .max_batch_size = 4};
  ready.outputs = {{"y", Datatype::kBool, {}, {"cat", "dog"}}};
  expect_seed("worker_message_fuzzer", "ready.json", to_json(ready));
  expect_seed("worker_message_fuzzer", "failed.json", to_json(FailedMessage{internal_error("why")}));
  expect_seed("worker_message_fuzzer", "answer.json", to_json(sample_answer()));
  expect_seed("worker_message_fuzzer", "infer.json", to_json(sample_infer()));
}

}  // namespace
}  // namespace forebay::serving
