// Errors: they stick and keep their origin, and nothing that a task throws ends the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "forebay/engine/engine.h"

namespace forebay::engine {
namespace {

using ::testing::HasSubstr;

class EngineErrorTest : public ::testing::TestWithParam<int> {
 protected:
  Status push(TaskOptions options, TaskBody body) { return engine_.push(lane_, options, std::move(body)); }

  Engine engine_{{.workers = GetParam()}};
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  Variable a_ = engine_.new_variable();
  Variable b_ = engine_.new_variable();
  Variable c_ = engine_.new_variable();
};

TEST_P(EngineErrorTest, EveryReaderSeesTheOriginalErrorAnyNumberOfTimes) {
  bool ran = false;
  const auto mark = [&] {
    ran = true;
    return ok_status();
  };
  ASSERT_TRUE(push({.name = "decode", .writes = {a_}}, [] { return data_loss("bad byte"); }).ok());
  ASSERT_TRUE(push({.name = "resize", .reads = {a_}, .writes = {b_}}, mark).ok());
  ASSERT_TRUE(push({.name = "crop", .reads = {b_}, .writes = {c_}}, mark).ok());
  for (int i = 0; i < 3; ++i) {
    for (const Variable& variable : {c_, b_, a_}) {
      const Status status = engine_.wait(variable);
      EXPECT_EQ(status.code(), StatusCode::kDataLoss);
      EXPECT_EQ(message(status), "task 'decode': bad byte");
      EXPECT_EQ(engine_.error_of(variable), status);
    }
  }
  EXPECT_FALSE(ran);
}

TEST_P(EngineErrorTest, AnOverwriteHealsAnUpdateDoesNot) {
  ASSERT_TRUE(push({.name = "bad", .writes = {a_}}, [] { return data_loss("x"); }).ok());
  ASSERT_TRUE(push({.name = "update", .reads = {a_}, .writes = {a_}}, [] { return ok_status(); }).ok());
  EXPECT_EQ(engine_.wait(a_).code(), StatusCode::kDataLoss);
  ASSERT_TRUE(push({.name = "overwrite", .writes = {a_}}, [] { return ok_status(); }).ok());
  EXPECT_TRUE(engine_.wait(a_).ok());
}

TEST_P(EngineErrorTest, RunOnErrorRuns) {
  bool ran = false;
  ASSERT_TRUE(push({.name = "bad", .writes = {a_}}, [] { return data_loss("x"); }).ok());
  ASSERT_TRUE(push({.name = "join", .reads = {a_}, .writes = {b_}, .run_on_error = true}, [&] {
                ran = true;
                return ok_status();
              }).ok());
  EXPECT_TRUE(engine_.wait(b_).ok());
  EXPECT_TRUE(ran);
}

TEST_P(EngineErrorTest, WhateverIsThrownBecomesAStatus) {
  ASSERT_TRUE(
      push({.name = "std", .writes = {a_}}, []() -> Status { throw std::runtime_error("boom"); }).ok());
  ASSERT_TRUE(push({.name = "int", .writes = {b_}}, []() -> Status { throw 42; }).ok());
  ASSERT_TRUE(push({.name = "memory", .writes = {c_}}, []() -> Status { throw std::bad_alloc(); }).ok());
  EXPECT_THAT(std::string(message(engine_.wait(a_))), HasSubstr("task 'std': exception: boom"));
  EXPECT_THAT(std::string(message(engine_.wait(b_))), HasSubstr("not a std::exception"));
  EXPECT_EQ(engine_.wait(c_).code(), StatusCode::kResourceExhausted);
}

TEST_P(EngineErrorTest, ErrorsSayWhereTheTaskWasPushed) {
  std::string site = "train.py:12";
  ASSERT_TRUE(push({.name = "dot", .site = site, .writes = {a_}}, [] { return data_loss("x"); }).ok());
  site = "overwritten";
  EXPECT_EQ(message(engine_.wait(a_)), "task 'dot' (pushed at train.py:12): x");
  ASSERT_TRUE(push({.site = "train.py:13", .writes = {b_}}, [] { return data_loss("x"); }).ok());
  EXPECT_EQ(message(engine_.wait(b_)), "a task (pushed at train.py:13): x");
  Completion opened = *engine_.push_open(lane_, {.name = "open", .site = "train.py:14", .writes = {c_}});
  opened.complete(data_loss("x"));
  EXPECT_EQ(message(engine_.wait(c_)), "task 'open' (pushed at train.py:14): x");
}

TEST_P(EngineErrorTest, LongSitesKeepTheirEnd) {
  std::string site(300, '/');
  site += "train.py:12";
  ASSERT_TRUE(push({.name = "dot", .site = site, .writes = {a_}}, [] { return data_loss("x"); }).ok());
  EXPECT_THAT(std::string(message(engine_.wait(a_))), HasSubstr("//train.py:12): x"));
}

TEST_P(EngineErrorTest, AsyncErrorsAndDroppedCompletions) {
  ASSERT_TRUE(engine_
                  .push_async(lane_, {.name = "read", .writes = {a_}},
                              [](Completion completion) { completion.complete(not_found("no such file")); })
                  .ok());
  ASSERT_TRUE(engine_.push_async(lane_, {.name = "drop", .writes = {b_}}, [](Completion) {}).ok());
  ASSERT_TRUE(engine_
                  .push_async(lane_, {.name = "throw", .writes = {c_}},
                              [](Completion) { throw std::runtime_error("boom"); })
                  .ok());
  EXPECT_EQ(message(engine_.wait(a_)), "task 'read': no such file");
  EXPECT_EQ(engine_.wait(b_).code(), StatusCode::kCancelled);
  EXPECT_THAT(std::string(message(engine_.wait(c_))), HasSubstr("boom"));
}

TEST_P(EngineErrorTest, AnOpenTaskInheritsErrorsAndKeepsItsCompletion) {
  ASSERT_TRUE(push({.name = "bad", .writes = {a_}}, [] { return data_loss("x"); }).ok());
  Completion completion = *engine_.push_open(lane_, {.name = "join", .reads = {a_}, .writes = {b_}});
  completion.complete(ok_status());
  EXPECT_EQ(message(engine_.wait(b_)), "task 'bad': x");
}

TEST_P(EngineErrorTest, AnOpenTaskKeepsAnErrorThatComesBeforeItsInputs) {
  Completion input = *engine_.push_open(lane_, {.name = "input", .writes = {a_}});
  Completion completion = *engine_.push_open(lane_, {.name = "join", .reads = {a_}, .writes = {b_}});
  completion.complete(data_loss("broken"));
  input.complete(ok_status());
  EXPECT_EQ(message(engine_.wait(b_)), "task 'join': broken");
}

TEST_P(EngineErrorTest, WaitAllGivesTheFirstErrorOnce) {
  ASSERT_TRUE(push({.name = "one"}, [] { return data_loss("x"); }).ok());
  EXPECT_EQ(message(engine_.wait_all(lane_)), "task 'one': x");
  EXPECT_TRUE(engine_.wait_all(lane_).ok());
}

INSTANTIATE_TEST_SUITE_P(Workers, EngineErrorTest, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace forebay::engine
