// Executors: dedicated threads, shared by name or of one's own.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <utility>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/threads_named.h"

namespace forebay::engine {
namespace {

TEST(ExecutorTest, AnExecutorRunsItsTasksOnItsOneThread) {
  Engine engine({.workers = 4});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const ExecutorRef executor = *engine.executor("python");
  EXPECT_EQ(executor, *engine.executor("python"));
  std::thread::id home;
  ASSERT_TRUE(engine
                  .push(lane, {.executor = executor},
                        [&] {
                          home = std::this_thread::get_id();
                          return ok_status();
                        })
                  .ok());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(engine
                    .push(lane, {.executor = executor},
                          [&] {
                            EXPECT_EQ(std::this_thread::get_id(), home);
                            return ok_status();
                          })
                    .ok());
  }
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(ExecutorTest, AnExecutorOfOnesOwnEndsWithItsLastHandleOnceItsTasksAreDone) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  ExecutorRef first = *engine.new_executor("mine");
  ExecutorRef second = *engine.new_executor("mine");
  EXPECT_NE(first, second);
  const ExecutorRef shared = *engine.executor("mine");
  EXPECT_NE(first, shared);
  std::latch may_go_on(1);
  std::atomic<int> ran = 0;
  const Variable x = engine.new_variable();
  ASSERT_TRUE(engine
                  .push(lane, {.writes = {x}},
                        [&] {
                          may_go_on.wait();
                          return ok_status();
                        })
                  .ok());
  const auto count = [&] {
    ++ran;
    return ok_status();
  };
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(engine.push(lane, {.reads = {x}, .executor = first}, count).ok());
  }
  for (const ExecutorRef& executor : {second, shared}) {
    ASSERT_TRUE(engine.push(lane, {.executor = executor}, count).ok());
  }
  EXPECT_FALSE(engine.is_on(first));
  first.reset();
  second.reset();
  may_go_on.count_down();
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_EQ(ran, 5);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (testing::threads_named("forebay-mine") > 1 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(testing::threads_named("forebay-mine"), 1) << "the shared one of that name stays";
  EXPECT_TRUE(engine.new_executor("another").ok());
}

TEST(ExecutorTest, ATaskMayHoldTheLastHandleOfItsExecutor) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  for (int i = 0; i < 100; ++i) {
    ExecutorRef executor = *engine.new_executor("mine");
    Executor* const named = executor.get();
    TaskOptions task;
    task.executor = executor;
    ASSERT_TRUE(engine
                    .push(lane, task,
                          [&engine, named, executor = std::move(executor)] {
                            EXPECT_TRUE(engine.is_on(executor));
                            EXPECT_EQ(executor.get(), named);
                            return ok_status();
                          })
                    .ok());
  }
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(ExecutorTest, TasksOfExecutorsTakeNoPlaceOfTheirLane) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane", .width = 1});
  const ExecutorRef executors[] = {*engine.new_executor("a"), *engine.new_executor("b")};
  std::latch has_run(1);
  std::latch may_go_on(1);
  for (const ExecutorRef& executor : executors) {
    ASSERT_TRUE(engine
                    .push(lane, {.executor = executor},
                          [&] {
                            has_run.wait();
                            return ok_status();
                          })
                    .ok());
  }
  const Variable x = engine.new_variable();
  ASSERT_TRUE(engine
                  .push(lane, {.writes = {x}},
                        [&] {
                          has_run.count_down();
                          may_go_on.wait();
                          return ok_status();
                        })
                  .ok());
  // The place is taken; an executor needs none.
  ASSERT_TRUE(engine
                  .push(lane, {.executor = executors[0]},
                        [&] {
                          may_go_on.count_down();
                          return ok_status();
                        })
                  .ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(ExecutorTest, AnExecutorTaskMayWaitForAnotherOfItsKind) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const ExecutorRef executor = *engine.executor("python");
  const Variable x = engine.new_variable();
  const Variable y = engine.new_variable();
  ASSERT_TRUE(
      engine
          .push(lane, {.name = "outer", .writes = {y}, .executor = executor},
                [&] {
                  const Variable between = engine.new_variable();
                  EXPECT_TRUE(engine.push(lane, {.writes = {between}}, [] { return ok_status(); }).ok());
                  EXPECT_TRUE(engine
                                  .push(lane, {.reads = {between}, .writes = {x}, .executor = executor},
                                        [] { return ok_status(); })
                                  .ok());
                  return engine.wait(x);
                })
          .ok());
  EXPECT_TRUE(engine.wait(y).ok());
}

}  // namespace
}  // namespace forebay::engine
