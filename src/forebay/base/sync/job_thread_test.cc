// Jobs run in order, and what is refused is told so.
#include "forebay/base/sync/job_thread.h"

#include <gmock/gmock.h>

#include <future>
#include <vector>

namespace forebay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(JobThread, JobsRunOneAfterTheOther) {
  std::vector<int> done;
  JobThread thread(10, "jobs");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(thread.add([&done, i] { done.push_back(i); }).ok());
  }
  thread.stop();
  EXPECT_THAT(done, ElementsAre(0, 1, 2));
  EXPECT_EQ(thread.add([] {}).code(), StatusCode::kUnavailable);
}

TEST(JobThread, WhatWaitsIsBoundedAndMayBeRefused) {
  JobThread thread(1, "loads of models");
  std::promise<void> begun;
  std::promise<void> let_go;
  ASSERT_TRUE(thread
                  .add([&] {
                    begun.set_value();
                    let_go.get_future().wait();
                  })
                  .ok());
  begun.get_future().wait();
  Status refused;
  ASSERT_TRUE(thread.add([] { FAIL(); }, [&](const Status& why) { refused = why; }).ok());
  const Status full = thread.add([] {});
  EXPECT_EQ(full.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(full)), HasSubstr("1 loads of models wait already"));
  thread.refuse_waiting();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  let_go.set_value();
}

}  // namespace
}  // namespace forebay
