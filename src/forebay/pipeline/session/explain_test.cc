#include "forebay/pipeline/session/explain.h"

#include <gtest/gtest.h>

#include "forebay/base/units.h"

namespace forebay::pipeline {
namespace {

RunTimes times(int64_t wait_ms, int64_t work_ms) {
  RunTimes result;
  result.batches = 10;
  result.consumer_wait_ns = wait_ms * kMillisecond;
  result.consumer_work_ns = work_ms * kMillisecond;
  return result;
}

TEST(Explain, ConsumerThatNeverWaitsIsTheBottleneck) {
  const Explanation verdict = explain(times(1, 99));
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kConsumer);
  EXPECT_EQ(verdict.stage, "");
}

TEST(Explain, LoaderIsTheBottleneckAtItsLongestStage) {
  RunTimes counted = times(60, 40);
  counted.stages = {{"decode", 80 * kMillisecond, 100}, {"resize", 15 * kMillisecond, 100}};
  const Explanation verdict = explain(counted);
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kLoader);
  EXPECT_EQ(verdict.stage, "decode");
}

TEST(Explain, IdleWorkersThatWaitForReadsMeanStorage) {
  RunTimes counted = times(80, 20);
  counted.stages = {{"decode", 10 * kMillisecond, 100}};
  counted.read_wait_ns = 500 * kMillisecond;
  EXPECT_EQ(explain(counted).stage, "storage");
}

TEST(Explain, IdleWorkersThatWaitForMemoryMeanTheLimit) {
  RunTimes counted = times(80, 20);
  counted.stages = {{"decode", 10 * kMillisecond, 100}};
  counted.parked_ns = 500 * kMillisecond;
  EXPECT_EQ(explain(counted).stage, "memory limit");
}

TEST(Explain, OneBatchIsNoVerdict) {
  RunTimes counted = times(80, 20);
  counted.batches = 1;
  EXPECT_EQ(explain(counted).bottleneck, Bottleneck::kUnknown);
}

TEST(Explain, WithoutAConsumerNobodyWaited) {
  RunTimes counted = times(9999, 1);
  counted.stages = {{"decode", 8000 * kMillisecond, 100}};
  const Explanation verdict = explain(counted);
  EXPECT_NE(verdict.to_string().find(
                "nothing worked between the batches; most of the loader's time goes to 'decode'"),
            std::string::npos);
  EXPECT_EQ(verdict.to_string().find("consumer"), std::string::npos);
  EXPECT_NE(verdict.to_json().find("\"bottleneck\":\"loader\""), std::string::npos);
}

TEST(Explain, AConsumerThatWorksLittleIsOneStill) {
  RunTimes counted = times(999, 1);
  counted.batches = 2;
  counted.stages = {{"decode", 8000 * kMillisecond, 100}};
  EXPECT_NE(explain(counted).to_string().find("the loader is the bottleneck, at 'decode'"),
            std::string::npos);
}

TEST(Explain, PrintsForPeopleAndScripts) {
  RunTimes counted = times(60, 40);
  counted.stages = {{"decode", 80 * kMillisecond, 100}};
  const Explanation verdict = explain(counted);
  EXPECT_NE(verdict.to_string().find("the loader is the bottleneck, at 'decode'"), std::string::npos);
  EXPECT_NE(verdict.to_json().find("\"bottleneck\":\"loader\""), std::string::npos);
}

}  // namespace
}  // namespace forebay::pipeline
