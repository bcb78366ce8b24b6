// Mistakes of other engines of this kind, where no other test covers them. docs/design/engine.md lists all of
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/nothing.h"

namespace forebay::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EnginePromisesTest, PrioritiesHoldOnExecutorsToo) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const ExecutorRef executor = *engine.executor("copies");
  std::latch has_begun(1);
  std::latch all_pushed(1);
  const auto gate = [&] {
    has_begun.count_down();
    all_pushed.wait();
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.executor = executor}, gate).ok());
  has_begun.wait();
  std::vector<int> ran;
  for (const int priority : {0, 100, 200, 300, 400}) {
    const auto note = [&ran, priority] {
      ran.push_back(priority);
      return ok_status();
    };
    ASSERT_TRUE(engine.push(lane, {.priority = priority, .executor = executor}, note).ok());
  }
  all_pushed.count_down();
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_THAT(ran, ElementsAre(400, 300, 200, 100, 0));
}

TEST(EnginePromisesTest, APriorityPassesWhateverWasPushedBefore) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  std::latch all_pushed(1);
  const auto gate = [&] {
    all_pushed.wait();
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {}, gate).ok());
  std::atomic<int> ran = 0;
  int ran_before = -1;
  for (int i = 0; i < 20000; ++i) {
    const auto count = [&ran] {
      ++ran;
      return ok_status();
    };
    ASSERT_TRUE(engine.push(lane, {}, count).ok());
  }
  const Variable urgent = engine.new_variable();
  std::latch has_run(1);
  const auto note = [&] {
    ran_before = ran;
    has_run.count_down();
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.writes = {urgent}, .priority = 1}, note).ok());
  all_pushed.count_down();
  has_run.wait();  // Engine::wait would sort everything in
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_LE(ran_before, 1);
}

class RunAheadTest : public ::testing::TestWithParam<int> {};

// Each batch lives from when it is made until it has been used. All are pushed before the first runs.
TEST_P(RunAheadTest, BatchesThatNobodyWaitsForDoNotPileUp) {
  const int workers = GetParam();
  Engine engine({.workers = workers});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable gate = engine.new_variable();
  Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {gate}});
  std::atomic<int> live = 0;
  std::atomic<int> peak = 0;
  const auto make = [&] {
    const int now = ++live;
    for (int known = peak; known < now && !peak.compare_exchange_weak(known, now);) {
    }
    return ok_status();
  };
  const auto use = [&] {
    --live;
    return ok_status();
  };
  for (int batch = 0; batch < 60; ++batch) {
    const Variable made = engine.new_variable();
    ASSERT_TRUE(engine.push(lane, {.name = "make", .reads = {gate}, .writes = {made}}, make).ok());
    ASSERT_TRUE(engine.push(lane, {.name = "use", .reads = {made}}, use).ok());
  }
  opened.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_LE(peak, workers + 1) << "the one more is the thread that waits";
  EXPECT_EQ(live, 0);
}

INSTANTIATE_TEST_SUITE_P(Workers, RunAheadTest, ::testing::Values(0, 1, 2, 4));

TEST(EnginePromisesTest, AReaderPushedAfterTheErrorWasSeenDoesNotRun) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable a = engine.new_variable();
  const Variable b = engine.new_variable();
  const Variable c = engine.new_variable();
  std::atomic<bool> ran = false;
  const auto mark = [&] {
    ran = true;
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "a", .writes = {a}}, [] { return data_loss("lost"); }).ok());
  ASSERT_TRUE(engine.push(lane, {.name = "b", .reads = {a}, .writes = {b}}, mark).ok());
  EXPECT_EQ(message(engine.wait(b)), "task 'a': lost");
  EXPECT_EQ(message(engine.wait_all(lane)), "task 'a': lost");
  ASSERT_TRUE(engine.push(lane, {.name = "c", .reads = {b}, .writes = {c}}, mark).ok());
  EXPECT_EQ(message(engine.wait(c)), "task 'a': lost");
  EXPECT_EQ(message(engine.wait(a)), "task 'a': lost");
  EXPECT_FALSE(ran);
}

TEST(EnginePromisesTest, ThrowingTasksOnSeveralWorkersAndWaitsOnSeveralThreads) {
  Engine engine({.workers = 4});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  std::vector<Variable> variables;
  for (int i = 0; i < 200; ++i) {
    variables.push_back(engine.new_variable());
    const auto fail = [i]() -> Status {
      if (i % 2 == 0) {
        throw i;
      }
      throw std::runtime_error("odd");
    };
    ASSERT_TRUE(engine.push(lane, {.name = "fails", .writes = {variables.back()}}, fail).ok());
    ASSERT_TRUE(engine.push(lane, {.name = "reads", .reads = {variables.back()}}, nothing).ok());
  }
  std::vector<std::thread> waiters;
  for (int t = 0; t < 3; ++t) {
    waiters.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const Status status = engine.wait(variables[i]);
        EXPECT_THAT(std::string(message(status)), HasSubstr(i % 2 == 0 ? "not a std::exception" : "odd"));
        EXPECT_EQ(engine.error_of(variables[i]), status);
      }
    });
  }
  for (std::thread& waiter : waiters) {
    waiter.join();
  }
}

TEST(EnginePromisesTest, AVariableMayGoWhileWorkOnItIsInFlight) {
  Engine engine({.workers = 0});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  std::vector<int> ran;
  const auto note = [&ran](int number) {
    return [&ran, number] {
      ran.push_back(number);
      return ok_status();
    };
  };
  Completion opened;
  {
    const Variable x = engine.new_variable();
    const Variable y = engine.new_variable();
    opened = *engine.push_open(lane, {.name = "gate", .writes = {x}});
    ASSERT_TRUE(engine.push(lane, {.reads = {x}, .writes = {y}}, note(1)).ok());
    ASSERT_TRUE(engine.push(lane, {.reads = {y}}, note(2)).ok());
  }
  EXPECT_FALSE(engine.step()) << "they still wait for each other";
  opened.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST(EnginePromisesTest, AWorkerBlockedByOthersDelaysNoWait) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  std::latch started(1);
  std::latch release(1);
  const auto block = [&] {
    started.count_down();
    release.wait();
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "unrelated"}, block).ok());
  started.wait();
  ASSERT_TRUE(engine.push(lane, {.name = "wanted", .writes = {x}}, nothing).ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok()) << "the other worker does it";
  release.count_down();
}

TEST(EnginePromisesTest, ErrorsStickInTheNaiveEngineToo) {
  Engine engine({.naive = true});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable a = engine.new_variable();
  const Variable b = engine.new_variable();
  ASSERT_TRUE(engine.push(lane, {.name = "a", .writes = {a}}, []() -> Status { throw 42; }).ok());
  ASSERT_TRUE(engine.push(lane, {.name = "b", .reads = {a}, .writes = {b}}, nothing).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(std::string(message(engine.wait(b))), HasSubstr("task 'a'"));
  }
}

}  // namespace
}  // namespace forebay::engine
