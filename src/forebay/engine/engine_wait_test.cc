// Waits inside tasks that could not end, and those that must.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>

#include "forebay/engine/engine.h"

namespace forebay::engine {
namespace {

Status nothing() {
  return ok_status();
}

TEST(EngineWaitTest, AWaitForALaneEndsWhenWhatComesAfterTheWaiterIsPushedIntoIt) {
  Engine engine({.workers = 0});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const LaneRef awaited = engine.new_lane({.name = "awaited"});
  const Variable x = engine.new_variable();
  Completion busy = *engine.push_open(awaited, {.name = "busy"});
  Status waited;
  int asked = 0;
  const auto push_a_follower = [&] {
    EXPECT_EQ(++asked, 1);
    EXPECT_TRUE(engine.push(awaited, {.name = "unrelated"}, nothing).ok());
    EXPECT_TRUE(engine.push(awaited, {.name = "follower", .reads = {x}}, nothing).ok());
    return asked > 1;
  };
  const auto wait = [&] {
    waited = engine.wait_all(awaited, {.interrupted = push_a_follower});
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits", .writes = {x}}, wait).ok());
  while (engine.step()) {
  }
  EXPECT_EQ(waited.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(message(waited),
            "task 'waits' would wait for itself: what it waits for comes after task 'waits'");
  busy.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(awaited).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(EngineWaitTest, TasksOfTwoExecutorsMayWaitForEachOthersQueues) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const ExecutorRef executors[] = {engine.executor("a"), engine.executor("b")};
  const Variable results[] = {engine.new_variable(), engine.new_variable()};
  std::latch both_run(2);
  for (int i = 0; i < 2; ++i) {
    const auto wait_for_the_other = [&, i] {
      both_run.arrive_and_wait();
      EXPECT_TRUE(
          engine.push(lane, {.name = "mine", .writes = {results[i]}, .executor = executors[i]}, nothing)
              .ok());
      return engine.wait(results[1 - i]);
    };
    ASSERT_TRUE(engine.push(lane, {.name = "waits", .executor = executors[i]}, wait_for_the_other).ok());
  }
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

// The task pushed last needs one in the queue of the very thread that waits for it.
TEST(EngineWaitTest, AnExecutorThatWaitsForALaneHelpsWithWhatIsPushedIntoItLater) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const LaneRef awaited = engine.new_lane({.name = "awaited"});
  const ExecutorRef executor = engine.executor("a");
  const Variable x = engine.new_variable();
  Completion busy = *engine.push_open(awaited, {.name = "busy"});
  std::latch runs(1);
  std::latch queued(1);
  const auto wait = [&] {
    runs.count_down();
    queued.wait();
    return engine.wait_all(awaited);
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits", .executor = executor}, wait).ok());
  runs.wait();
  ASSERT_TRUE(engine.push(lane, {.name = "queued", .writes = {x}, .executor = executor}, nothing).ok());
  queued.count_down();
  ASSERT_TRUE(engine.push(awaited, {.name = "last", .reads = {x}}, nothing).ok());
  busy.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

}  // namespace
}  // namespace forebay::engine
