// How much memory the engine itself uses: little for a queued task, nothing for finished ones.
#include <gtest/gtest.h>

#include "forebay/base/testing/heap_bytes.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/block_cache.h"
#include "forebay/engine/testing/nothing.h"

namespace forebay::engine {
namespace {

// Blocks (tasks and variables have two sizes) and queues kept for the next tasks.
constexpr int64_t kKeptBytes = 2 * kKeptAfterWait + (6 << 20);

int64_t used_bytes() {
  return heap_bytes() + static_cast<int64_t>(block_bytes());
}

class EngineMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kCountsHeap) {
      GTEST_SKIP() << "the heap cannot be counted under this sanitizer";
    }
  }

  Engine engine_{{.workers = 2}};
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
};

TEST_F(EngineMemoryTest, QueuedTasksGiveTheirMemoryBack) {
  constexpr int kTasks = 200000;
  const Variable gate = engine_.new_variable();
  const int64_t before = used_bytes();
  Completion opened = *engine_.push_open(lane_, {.name = "gate", .writes = {gate}});
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(
        engine_.push(lane_, {.name = "x + 1", .reads = {gate}, .writes = {engine_.new_variable()}}, nothing)
            .ok());
  }
  EXPECT_GT(used_bytes() - before, kTasks * 300) << "the tasks are counted";
  EXPECT_LT(used_bytes() - before, kTasks * (256 + 128 + 32)) << "task, variable, places in queues";
  opened.complete(ok_status());
  EXPECT_TRUE(engine_.wait_all(lane_).ok());
  EXPECT_LT(used_bytes() - before, kKeptBytes);
}

TEST_F(EngineMemoryTest, ReadersOfAVariableThatNobodyWritesLeaveNothing) {
  const Variable weights = engine_.new_variable();
  ASSERT_TRUE(engine_.push(lane_, {.name = "make", .writes = {weights}}, nothing).ok());
  const int64_t before = used_bytes();
  for (int i = 0; i < 100000; ++i) {
    ASSERT_TRUE(engine_.push(lane_, {.name = "use", .reads = {weights}}, nothing).ok());
    if (i % 100 == 0) {
      ASSERT_TRUE(engine_.wait_all(lane_).ok());
    }
  }
  EXPECT_TRUE(engine_.wait_all(lane_).ok());
  EXPECT_LT(used_bytes() - before, kKeptBytes);
}

TEST_F(EngineMemoryTest, HeirsOfAnErrorLeaveNothing) {
  const Variable bad = engine_.new_variable();
  ASSERT_TRUE(engine_.push(lane_, {.name = "bad", .writes = {bad}}, [] { return data_loss("lost"); }).ok());
  const int64_t before = used_bytes();
  for (int i = 0; i < 20000; ++i) {
    const Variable heir = engine_.new_variable();
    ASSERT_TRUE(engine_.push(lane_, {.name = "heir", .reads = {bad}, .writes = {heir}}, nothing).ok());
  }
  EXPECT_EQ(engine_.wait_all(lane_).code(), StatusCode::kDataLoss);
  engine_.shutdown();  // by then the thread that finished so many tasks at once has freed them
  EXPECT_LT(used_bytes() - before, kKeptBytes);
}

}  // namespace
}  // namespace forebay::engine
