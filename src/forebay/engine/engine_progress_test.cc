// A worker stays in one body: what is ready behind it runs elsewhere, whatever else makes progress meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/nothing.h"

namespace forebay::engine {
namespace {

// Whether something else makes progress at exactly the wrong moment is up to the machine, hence many rounds.
constexpr int kRounds = 150;

class EngineProgressTest : public ::testing::Test {
 protected:
  /// By the engine's clock these bodies take no time, so one worker is left to run them.
  void run_short_tasks() {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(engine_.push(lane_, {.name = "short"}, nothing).ok());
    }
    ASSERT_TRUE(engine_.wait_all(lane_, {.help = false}).ok());
  }

  /// Pushes a task that runs `meanwhile` until the task of push_wanted() has run, and then ends.
  void push_long(std::function<void()> meanwhile) {
    has_run_ = false;
    std::latch has_begun(1);
    const auto body = [this, &has_begun, meanwhile = std::move(meanwhile)] {
      has_begun.count_down();
      while (!has_run_) {
        meanwhile();
      }
      return ok_status();
    };
    ASSERT_TRUE(engine_.push(lane_, {.name = "long"}, body).ok());
    has_begun.wait();
  }

  void push_wanted() {
    const auto body = [this] {
      has_run_ = true;
      has_run_.notify_all();
      return ok_status();
    };
    ASSERT_TRUE(engine_.push(lane_, {.name = "wanted", .writes = {wanted_}}, body).ok());
  }

  /// Keeps a task ready for the executor until the wanted task has run.
  void keep_executor_busy() {
    const auto body = [this] {
      if (!has_run_) {
        keep_executor_busy();
      }
      return ok_status();
    };
    EXPECT_TRUE(engine_.push(others_, {.name = "again", .executor = executor_}, body).ok());
  }

  void finish() {
    EXPECT_TRUE(engine_.wait_all(lane_).ok());
    EXPECT_TRUE(engine_.wait_all(others_).ok());
  }

  std::atomic<bool> has_run_{false};
  SteppedClock clock_;
  Engine engine_{{.workers = 2, .clock = &clock_}};
  const LaneRef lane_ = engine_.new_lane({.name = "lane"});
  const LaneRef others_ = engine_.new_lane({.name = "others"});
  const ExecutorRef executor_ = *engine_.executor("executor");
  const Variable wanted_ = engine_.new_variable();
};

TEST_F(EngineProgressTest, TasksOfExecutorsDoNotKeepReadyOnesBehindALongBody) {
  for (int round = 0; round < kRounds; ++round) {
    run_short_tasks();
    push_long([this] { has_run_.wait(false); });
    keep_executor_busy();
    push_wanted();
    has_run_.wait(false);  // not Engine::wait, which would help
    finish();
  }
}

TEST_F(EngineProgressTest, AWaitBehindALongBodyEndsWhileAnExecutorGetsOn) {
  for (int round = 0; round < kRounds; ++round) {
    run_short_tasks();
    push_long([this] { has_run_.wait(false); });
    keep_executor_busy();
    push_wanted();
    EXPECT_TRUE(engine_.wait(wanted_).ok());
    finish();
  }
}

TEST_F(EngineProgressTest, TasksThatALongBodyRunsItselfAreNoProgress) {
  for (int round = 0; round < kRounds; ++round) {
    run_short_tasks();
    push_long([this] {
      const Variable inner = engine_.new_variable();
      EXPECT_TRUE(engine_.push(others_, {.name = "inner", .writes = {inner}}, nothing).ok());
      EXPECT_TRUE(engine_.wait(inner).ok());
    });
    push_wanted();
    has_run_.wait(false);
    finish();
  }
}

}  // namespace
}  // namespace forebay::engine
