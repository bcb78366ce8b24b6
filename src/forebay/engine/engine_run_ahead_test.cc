// How far tasks run ahead of a pusher that waits for nothing: in memory, and in number.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/nothing.h"

namespace forebay::engine {
namespace {

constexpr uint64_t kBatchBytes = 1 << 20;

// How many batches are made while the use of the first batch is still running, on an executor if that is
// asked.
int made_beside_the_first_use(uint64_t run_ahead_bytes, bool on_executor = false) {
  Engine engine({.workers = 0});
  const ExecutorRef executor = on_executor ? *engine.executor("uses") : nullptr;
  const LaneRef lane = engine.new_lane({.name = "lane", .run_ahead_bytes = run_ahead_bytes});
  const Variable model = engine.new_variable();
  std::atomic<int> made{0};
  std::latch uses(1);
  std::latch may_end(1);
  for (int i = 0; i < 10; ++i) {
    const Variable batch = engine.new_variable();
    const auto make = [&] {
      ++made;
      return ok_status();
    };
    const auto use = [&, i] {
      if (i == 0) {
        uses.count_down();
        may_end.wait();
      }
      return ok_status();
    };
    EXPECT_TRUE(engine.push(lane, {.name = "make", .writes = {batch}, .bytes = kBatchBytes}, make).ok());
    TaskOptions options = {.name = "use", .reads = {batch, model}, .writes = {model}};
    options.executor = executor;
    EXPECT_TRUE(engine.push(lane, options, use).ok());
  }
  EXPECT_TRUE(engine.step());
  std::thread other([&] {
    while (!uses.try_wait()) {  // tasks of workers come before those of executors
      EXPECT_TRUE(engine.step());
    }
  });
  uses.wait();
  while (engine.step()) {
  }
  const int made_beside = made - 1;
  may_end.count_down();
  other.join();
  while (engine.step()) {
  }
  EXPECT_EQ(made, 10);
  EXPECT_EQ(engine.pending_tasks(), 0);
  return made_beside;
}

TEST(EngineRunAheadTest, MemoryAheadOfProgramOrderIsBounded) {
  EXPECT_EQ(made_beside_the_first_use(0), 9) << "no limit";
  EXPECT_EQ(made_beside_the_first_use(1), 0);
  EXPECT_EQ(made_beside_the_first_use(kBatchBytes), 1);
  EXPECT_EQ(made_beside_the_first_use(3 * kBatchBytes), 3);
}

TEST(EngineRunAheadTest, ABodyOnAnExecutorCountsAsOthersDo) {
  EXPECT_EQ(made_beside_the_first_use(0, true), 9) << "no limit";
  EXPECT_EQ(made_beside_the_first_use(1, true), 0);
  EXPECT_EQ(made_beside_the_first_use(3 * kBatchBytes, true), 3);
}

TEST(EngineRunAheadTest, HeldTasksRunWhenAnExecutorWaitsForThem) {
  Engine engine({.workers = 1});
  const ExecutorRef executor = *engine.executor("waits");
  const LaneRef lane = engine.new_lane({.name = "lane", .run_ahead_bytes = 1});
  const LaneRef other = engine.new_lane({.name = "other"});
  const Variable first = engine.new_variable();
  const Variable batch = engine.new_variable();
  std::latch pushed(1);
  const auto wait_for_batch = [&] {
    pushed.wait();
    return engine.wait(batch);
  };
  ASSERT_TRUE(engine.push(other, {.name = "waits", .executor = executor}, wait_for_batch).ok());
  Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {first}});
  ASSERT_TRUE(engine.push(lane, {.name = "behind", .executor = executor}, nothing).ok());
  ASSERT_TRUE(engine.push(lane, {.name = "make", .writes = {batch}, .bytes = kBatchBytes}, nothing).ok());
  pushed.count_down();
  EXPECT_TRUE(engine.wait_all(other).ok()) << "the batch was held back for a task that comes after the wait";
  opened.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(EngineRunAheadTest, HeldTasksRunWhenNothingElseCan) {
  Engine engine({.workers = 0});
  const LaneRef lane = engine.new_lane({.name = "lane", .run_ahead_bytes = 1});
  const Variable gate = engine.new_variable();
  Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {gate}});
  int made = 0;
  for (int i = 0; i < 5; ++i) {
    const auto make = [&] {
      ++made;
      return ok_status();
    };
    const Variable batch = engine.new_variable();
    ASSERT_TRUE(engine.push(lane, {.name = "make", .writes = {batch}, .bytes = kBatchBytes}, make).ok());
    ASSERT_TRUE(engine.push(lane, {.name = "use", .reads = {gate, batch}}, nothing).ok());
  }
  while (engine.step()) {
  }
  EXPECT_EQ(made, 5) << "the oldest task waits for its completion, which may depend on any of them";
  opened.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(EngineRunAheadTest, CancelledWhileHeld) {
  Engine engine({.workers = 0});
  const LaneRef lane = engine.new_lane({.name = "lane", .run_ahead_bytes = 1});
  const Variable batch = engine.new_variable();
  const auto push_and_cancel = [&] {
    EXPECT_TRUE(engine.push(lane, {.name = "make", .writes = {batch}, .bytes = kBatchBytes}, nothing).ok());
    engine.cancel(lane);
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "outer"}, push_and_cancel).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
  EXPECT_EQ(engine.error_of(batch).code(), StatusCode::kCancelled);
  EXPECT_EQ(engine.pending_tasks(), 0);
}

class CrowdedLaneTest : public ::testing::TestWithParam<int> {};

TEST_P(CrowdedLaneTest, APusherThatAwaitsRoomIsNeverFarAhead) {
  constexpr size_t kMaxQueued = 1000;
  constexpr int kTasks = 50000;
  Engine engine({.workers = GetParam()});
  const LaneRef lane = engine.new_lane({.name = "lane", .most_queued = kMaxQueued});
  const Variable x = engine.new_variable();
  size_t most = 0;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(engine.push(lane, {.name = "x + 1", .reads = {x}, .writes = {x}}, nothing).ok());
    if (engine.is_crowded(lane)) {
      most = std::max(most, engine.pending_tasks());
      ASSERT_TRUE(engine.await_room(lane).ok());
      EXPECT_LE(engine.pending_tasks(), kMaxQueued / 2);
    }
  }
  EXPECT_LE(most, kMaxQueued + 256);
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST_P(CrowdedLaneTest, SoItIsWithTasksOfExecutors) {
  constexpr size_t kMaxQueued = 1000;
  Engine engine({.workers = GetParam()});
  const ExecutorRef executor = *engine.executor("tasks");
  const LaneRef lane = engine.new_lane({.name = "lane", .most_queued = kMaxQueued});
  const Variable x = engine.new_variable();
  for (int i = 0; i < 5000; ++i) {
    TaskOptions options = {.name = "x + 1", .reads = {x}, .writes = {x}};
    options.executor = executor;
    ASSERT_TRUE(engine.push(lane, options, nothing).ok());
    if (engine.is_crowded(lane)) {
      ASSERT_TRUE(engine.await_room(lane).ok());
      EXPECT_LE(engine.pending_tasks(), kMaxQueued / 2);
    }
  }
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

INSTANTIATE_TEST_SUITE_P(Workers, CrowdedLaneTest, ::testing::Values(0, 1, 2));

TEST(EngineRunAheadTest, NobodyWaitsForRoomThatOnlyHeCanMake) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane", .most_queued = 100});
  const Variable gate = engine.new_variable();
  Completion opened = *engine.push_open(lane, {.name = "gate", .writes = {gate}});
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(engine.push(lane, {.name = "behind", .reads = {gate}}, nothing).ok());
    if (engine.is_crowded(lane)) {
      ASSERT_TRUE(engine.await_room(lane).ok());
    }
  }
  EXPECT_EQ(engine.pending_tasks(), 5001);
  opened.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(EngineRunAheadTest, InsideATaskNobodyWaitsForRoom) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane", .most_queued = 2});
  const auto push_many = [&] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(engine.push(lane, {.name = "inner"}, nothing).ok());
      EXPECT_TRUE(engine.await_room(lane).ok());
    }
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "outer"}, push_many).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

}  // namespace
}  // namespace forebay::engine
