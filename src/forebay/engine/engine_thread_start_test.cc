// Threads that cannot be started: nothing is lost, and the error says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "forebay/engine/device_queue.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/testing/no_more_threads.h"
#include "forebay/engine/testing/nothing.h"

namespace forebay::engine {
namespace {

using engine::testing::NoMoreThreads;
using ::testing::HasSubstr;

constexpr int64_t kSecondNs = 1'000'000'000;

class NoQueue final : public DeviceQueue {
 public:
  Result<Fence> record() override { return unimplemented("nothing is put on it"); }
  Status wait_for(const Fence&) override { return ok_status(); }
  Status wait(const Fence&) override { return ok_status(); }
  Result<bool> has_passed(const Fence&) override { return true; }
};

class EngineThreadStartTest : public ::testing::Test {
 protected:
  SteppedClock clock_;
  Engine engine_{{.workers = 1, .clock = &clock_}};
  const LaneRef lane_ = engine_.new_lane({.name = "lane", .waiters_help = false});
};

TEST_F(EngineThreadStartTest, AWaiterThatMayNotHelpRunsWhatNoWorkerCan) {
  const NoMoreThreads none;
  const Variable x = engine_.new_variable();
  ASSERT_TRUE(engine_.push(lane_, {.name = "only", .writes = {x}}, nothing).ok());
  EXPECT_TRUE(engine_.wait(x, {.help = false}).ok());
}

TEST_F(EngineThreadStartTest, AWaiterRunsWhatEndsAnOpenTaskWhereNoWorkerCan) {
  const NoMoreThreads none;
  const Variable x = engine_.new_variable();
  Completion open = *engine_.push_open(lane_, {.name = "open", .writes = {x}});
  const auto end_it = [&] {
    open.complete(ok_status());
    return ok_status();
  };
  ASSERT_TRUE(engine_.push(lane_, {.name = "other"}, end_it).ok());
  EXPECT_TRUE(engine_.wait(x, {.help = false}).ok());
}

TEST_F(EngineThreadStartTest, AWaiterIsToldWhenALaterWorkerCannotBeStarted) {
  const Variable gate = engine_.new_variable();
  const Variable x = engine_.new_variable();
  Completion opened = *engine_.push_open(lane_, {.name = "gate", .writes = {gate}});
  ASSERT_TRUE(engine_.push(lane_, {.name = "only", .reads = {gate}, .writes = {x}}, nothing).ok());
  std::latch asked(1);
  const auto is_interrupted = [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) {
      asked.count_down();
    }
    return false;
  };
  std::latch no_more(1);
  std::thread opener([&] {
    asked.wait();
    no_more.wait();
    opened.complete(ok_status());
  });
  const NoMoreThreads none;
  no_more.count_down();
  const WaitOptions options{
      .interrupted = is_interrupted, .poll_interval = std::chrono::hours(1), .help = false};
  EXPECT_TRUE(engine_.wait(x, options).ok());
  opener.join();
}

TEST_F(EngineThreadStartTest, AWorkerThatWaitsRunsWhatNoOtherWorkerCan) {
  const Variable gate = engine_.new_variable();
  const Variable x = engine_.new_variable();
  std::latch runs(1);
  Completion opened = *engine_.push_open(lane_, {.name = "gate", .writes = {gate}});
  ASSERT_TRUE(engine_.push(lane_, {.name = "wanted", .reads = {gate}, .writes = {x}}, nothing).ok());
  const auto wait = [&] {
    runs.count_down();
    return engine_.wait(x);
  };
  const Variable waited = engine_.new_variable();
  ASSERT_TRUE(engine_.push(lane_, {.name = "waits", .writes = {waited}}, wait).ok());
  runs.wait();
  {
    const NoMoreThreads none;
    opened.complete(ok_status());
    EXPECT_TRUE(engine_.wait(waited, {.help = false}).ok());
  }
}

TEST_F(EngineThreadStartTest, WorkersComeBackWhenThreadsDo) {
  const Variable x = engine_.new_variable();
  {
    const NoMoreThreads none;
    ASSERT_TRUE(engine_.push(lane_, {.name = "helped", .writes = {x}}, nothing).ok());
    EXPECT_TRUE(engine_.wait(x).ok());
  }
  clock_.advance_ns(kSecondNs);
  std::latch ran(1);
  std::thread::id runner;
  const auto note = [&] {
    runner = std::this_thread::get_id();
    ran.count_down();
    return ok_status();
  };
  ASSERT_TRUE(engine_.push(lane_, {.name = "on a worker"}, note).ok());
  ran.wait();
  EXPECT_NE(runner, std::this_thread::get_id());
  EXPECT_TRUE(engine_.wait_all(lane_).ok());
}

TEST_F(EngineThreadStartTest, AnExecutorWithoutAThreadIsAnErrorAndMayBeAskedForAgain) {
  {
    const NoMoreThreads none;
    const Result<ExecutorRef> executor = engine_.executor("python");
    EXPECT_EQ(executor.status().code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(message(executor.status())), HasSubstr("executor 'python'"));
    EXPECT_EQ(engine_.device_executor("gpu", std::make_shared<NoQueue>()).status().code(),
              StatusCode::kResourceExhausted);
  }
  const ExecutorRef executor = *engine_.executor("python");
  std::latch ran(1);
  const auto note = [&] {
    ran.count_down();
    return ok_status();
  };
  ASSERT_TRUE(engine_.push(lane_, {.name = "task", .executor = executor}, note).ok());
  ran.wait();
  EXPECT_TRUE(engine_.wait_all(lane_).ok());
}

}  // namespace
}  // namespace forebay::engine
