// Waits inside tasks: those that could not end, and those that must end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <utility>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/nothing.h"

namespace forebay::engine {
namespace {

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
  const ExecutorRef executors[] = {*engine.executor("a"), *engine.executor("b")};
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
  const ExecutorRef executor = *engine.executor("a");
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

// Nothing says that the open task ends through the one in the queue of the thread that waits for it.
TEST(EngineWaitTest, AnExecutorThatWaitsForAnOpenTaskRunsWhatIsInItsOwnQueue) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "outer"});
  const LaneRef inner = engine.new_lane({.name = "inner"});
  const ExecutorRef executor = *engine.executor("a");
  const Variable result = engine.new_variable();
  int depth = 0;
  const auto wait = [&] {
    ++depth;
    Completion batch = *engine.push_open(inner, {.name = "batch", .writes = {result}});
    auto finish = [&, batch = std::move(batch)]() mutable {
      EXPECT_EQ(depth, 1);  // within the call that waits
      batch.complete(ok_status());
      return ok_status();
    };
    EXPECT_TRUE(engine.push(inner, {.name = "source", .executor = executor}, std::move(finish)).ok());
    const Status waited = engine.wait(result);
    --depth;
    return waited;
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits", .executor = executor}, wait).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_TRUE(engine.wait_all(inner).ok());
}

// As when a pipeline's source runs another pipeline: who wants what the source makes stands behind it.
TEST(EngineWaitTest, AnExecutorThatWaitsForAnOpenTaskRunsNothingOfOtherLanes) {
  Engine engine({.workers = 1});
  const LaneRef outer = engine.new_lane({.name = "outer"});
  const LaneRef middle = engine.new_lane({.name = "middle"});
  const LaneRef inner = engine.new_lane({.name = "inner"});
  const ExecutorRef executor = *engine.executor("a");
  const Variable made = engine.new_variable();
  const Variable given = engine.new_variable();
  Completion batch = *engine.push_open(middle, {.name = "batch", .writes = {made}});
  Completion answer = *engine.push_open(inner, {.name = "answer", .writes = {given}});
  std::latch is_wanted(1);
  const auto answer_later = [&, asked = 0]() mutable {
    if (++asked == 3) {
      answer.complete(ok_status());
    }
    return false;
  };
  auto make = [&, batch = std::move(batch)]() mutable {
    is_wanted.wait();
    const Status waited =
        engine.wait(given, {.interrupted = answer_later, .poll_interval = std::chrono::milliseconds(1)});
    batch.complete(waited);
    return waited;
  };
  ASSERT_TRUE(engine.push(middle, {.name = "source", .executor = executor}, std::move(make)).ok());
  ASSERT_TRUE(
      engine.push(outer, {.name = "wants", .executor = executor}, [&] { return engine.wait(made); }).ok());
  is_wanted.count_down();
  EXPECT_TRUE(engine.wait_all(outer).ok());
  EXPECT_TRUE(engine.wait_all(middle).ok());
}

TEST(EngineWaitTest, ATaskThatHasWaitedGoesOnWhenItsLaneHasRoom) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane", .width = 1});
  const Variable gate = engine.new_variable();
  Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {gate}});
  std::atomic<int> inside = 0;
  const auto wait = [&] {
    const Status waited = engine.wait(gate);
    EXPECT_EQ(++inside, 1);
    --inside;
    return waited;
  };
  const auto take_the_place = [&] {
    ++inside;
    opened.complete(ok_status());
    for (int i = 0; i < 1000 && inside == 1; ++i) {
      std::this_thread::yield();
    }
    EXPECT_EQ(inside, 1);
    --inside;
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits"}, wait).ok());
  ASSERT_TRUE(engine.push(lane, {.name = "takes its place"}, take_the_place).ok());
  EXPECT_TRUE(engine.wait_all(lane, {.help = false}).ok());
}

// More tasks than one piece of a walk covers, some of them behind the waiting one.
TEST(EngineWaitTest, ACircleIsFoundInALargeGraph) {
  constexpr int kMany = 1000;
  for (const int workers : {0, 2}) {
    Engine engine({.workers = workers});
    const LaneRef lane = engine.new_lane({.name = "lane"});
    const Variable own = engine.new_variable();
    const Variable first = engine.new_variable();
    const Variable result = engine.new_variable();
    Status refused;
    Status waited;
    const auto wait = [&] {
      for (int i = 0; i < kMany; ++i) {
        EXPECT_TRUE(engine.push(lane, {.reads = {first}, .writes = {first}}, nothing).ok());
        EXPECT_TRUE(engine.push(lane, {.reads = {first, result}, .writes = {result}}, nothing).ok());
      }
      waited = engine.wait(result);
      EXPECT_TRUE(engine.push(lane, {.name = "behind", .reads = {own}, .writes = {first}}, nothing).ok());
      for (int i = 0; i < kMany; ++i) {
        EXPECT_TRUE(engine.push(lane, {.reads = {first, result}, .writes = {result}}, nothing).ok());
      }
      refused = engine.wait(result);
      return ok_status();
    };
    ASSERT_TRUE(engine.push(lane, {.name = "waits", .writes = {own}}, wait).ok());
    EXPECT_TRUE(engine.wait_all(lane).ok());
    EXPECT_TRUE(waited.ok());
    EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  }
}

// The task that has the place waits for the task that wants it, and so gives it back.
TEST(EngineWaitTest, WhoHasTakenThePlaceMayWaitForWhoWantsItBack) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane", .width = 1});
  const Variable gate = engine.new_variable();
  const Variable first = engine.new_variable();
  Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {gate}});
  const auto wait_for_gate = [&] { return engine.wait(gate); };
  const auto open_and_wait = [&] {
    opened.complete(ok_status());
    return engine.wait(first);
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits", .writes = {first}}, wait_for_gate).ok());
  ASSERT_TRUE(engine.push(lane, {.name = "takes its place"}, open_and_wait).ok());
  EXPECT_TRUE(engine.wait_all(lane, {.help = false}).ok());
}

// The executor's task may wait for an interpreter that has ended.
TEST(EngineWaitTest, ShutdownDoesNotWaitForAPlaceThatAnExecutorKeeps) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane", .width = 1});
  const ExecutorRef executor = *engine.executor("python");
  const Variable gate = engine.new_variable();
  const Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {gate}});
  std::latch runs(1);
  std::latch has_place(1);
  const auto may_end = std::make_shared<std::latch>(1);  // the executor's thread outlives the engine
  const auto has_ended = std::make_shared<std::latch>(1);
  Status waited;
  const auto wait = [&] {
    runs.count_down();
    waited = engine.wait(gate);
    return waited;
  };
  const auto keep_the_place = [&has_place, may_end, has_ended] {
    has_place.count_down();
    may_end->wait();
    has_ended->count_down();
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits"}, wait).ok());
  runs.wait();
  ASSERT_TRUE(engine.push(lane, {.name = "keeps its place", .executor = executor}, keep_the_place).ok());
  has_place.wait();
  engine.shutdown(/*join_executors=*/false);
  EXPECT_EQ(waited.code(), StatusCode::kCancelled);
  may_end->count_down();
  has_ended->wait();
}

// As when a store answers on a thread of its own: what is awaited ends through a task that it does not depend
// on.
TEST(EngineWaitTest, WithoutWorkersWhoWaitsRunsWhatOthersPush) {
  Engine engine({.workers = 0});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  Completion done = *engine.push_open(lane, {.name = "open", .writes = {x}});
  std::latch waits(1);
  std::thread other([&] {
    waits.wait();
    const auto end = [&] {
      done.complete(ok_status());
      return ok_status();
    };
    EXPECT_TRUE(engine.push(lane, {.name = "ends it"}, end).ok());
  });
  const auto note_wait = [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) {
      waits.count_down();
    }
    return false;
  };
  EXPECT_TRUE(engine.wait(x, {.interrupted = note_wait}).ok());
  other.join();
}

}  // namespace
}  // namespace forebay::engine
