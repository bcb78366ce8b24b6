#include "forebay/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace forebay::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Tasks run only when the test says so.
class SteppedEngineTest : public ::testing::Test {
 protected:
  /// Pushes a task that records `name` when it runs.
  void push(const LaneRef& lane, std::string name, TaskOptions options = {}) {
    options.name = name;
    ASSERT_TRUE(engine_
                    .push(lane, options,
                          [this, name] {
                            ran_.push_back(name);
                            return ok_status();
                          })
                    .ok());
  }
  void drain() {
    while (engine_.step()) {
    }
  }

  Engine engine_{{.workers = 0}};
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  std::vector<std::string> ran_;
};

TEST_F(SteppedEngineTest, RunsReadyTasksInProgramOrder) {
  const Variable x = engine_.new_variable();
  push(lane_, "write x", {.writes = {x}});
  push(lane_, "free");
  push(lane_, "read x", {.reads = {x}});
  EXPECT_TRUE(ran_.empty());
  EXPECT_EQ(engine_.pending_tasks(), 3);
  drain();
  EXPECT_THAT(ran_, ElementsAre("write x", "free", "read x"));
  EXPECT_EQ(engine_.pending_tasks(), 0);
}

TEST_F(SteppedEngineTest, AnOlderTaskThatBecomesReadyOvertakes) {
  const Variable x = engine_.new_variable();
  push(lane_, "produce", {.writes = {x}, .order = 1});
  push(lane_, "consume", {.reads = {x}, .order = 2});
  push(lane_, "later", {.order = 3});
  drain();
  EXPECT_THAT(ran_, ElementsAre("produce", "consume", "later"));
}

TEST_F(SteppedEngineTest, GivenOrderAndPriorityDecide) {
  push(lane_, "third", {.order = 30});
  push(lane_, "second", {.order = 20});
  push(lane_, "first", {.priority = 1, .order = 40});
  drain();
  EXPECT_THAT(ran_, ElementsAre("first", "second", "third"));
}

TEST_F(SteppedEngineTest, AVariableInBothListsIsOneAccess) {
  const Variable x = engine_.new_variable();
  push(lane_, "update", {.reads = {x, x}, .writes = {x, x}});
  push(lane_, "again", {.reads = {x}, .writes = {x}});
  drain();
  EXPECT_THAT(ran_, ElementsAre("update", "again"));
}

TEST_F(SteppedEngineTest, TasksMayPushTasks) {
  const Variable x = engine_.new_variable();
  ASSERT_TRUE(engine_
                  .push(lane_, {.name = "outer", .writes = {x}},
                        [&] {
                          push(lane_, "inner", {.reads = {x}});
                          ran_.push_back("outer");
                          return ok_status();
                        })
                  .ok());
  drain();
  EXPECT_THAT(ran_, ElementsAre("outer", "inner"));
}

TEST_F(SteppedEngineTest, WaitRunsOnlyWhatItWaitsFor) {
  const Variable x = engine_.new_variable();
  const Variable y = engine_.new_variable();
  push(lane_, "unrelated");
  push(lane_, "a", {.writes = {x}});
  push(lane_, "b", {.reads = {x}, .writes = {y}});
  push(lane_, "after", {.reads = {y}});
  EXPECT_TRUE(engine_.wait(y).ok());
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
  drain();
}

TEST_F(SteppedEngineTest, AWaitSeesTheWritesPushedBefore) {
  const Variable x = engine_.new_variable();
  EXPECT_TRUE(engine_.wait(x).ok()) << "never written";
  push(lane_, "first", {.writes = {x}});
  push(lane_, "second", {.writes = {x}});
  EXPECT_TRUE(engine_.wait(x).ok());
  EXPECT_THAT(ran_, ElementsAre("first", "second"));
}

TEST_F(SteppedEngineTest, InterruptedWaitEndsAndLeavesNothing) {
  const Variable x = engine_.new_variable();
  Completion completion = *engine_.push_open(lane_, {.name = "io", .writes = {x}});
  int asked = 0;
  const WaitOptions options{.interrupted = [&] { return ++asked == 1; }};
  EXPECT_EQ(engine_.wait(x, options).code(), StatusCode::kCancelled);
  EXPECT_EQ(engine_.wait_all(lane_, {.interrupted = [] { return true; }}).code(), StatusCode::kCancelled);
  completion.complete(ok_status());
  EXPECT_TRUE(engine_.wait(x).ok());
}

TEST_F(SteppedEngineTest, AsyncTasksEndWithTheirCompletion) {
  const Variable x = engine_.new_variable();
  Completion held;
  ASSERT_TRUE(engine_
                  .push_async(lane_, {.name = "io", .writes = {x}},
                              [&](Completion completion) { held = std::move(completion); })
                  .ok());
  push(lane_, "reader", {.reads = {x}});
  drain();
  EXPECT_TRUE(ran_.empty());
  ASSERT_TRUE(static_cast<bool>(held));
  held.complete(ok_status());
  EXPECT_FALSE(static_cast<bool>(held));
  drain();
  EXPECT_THAT(ran_, ElementsAre("reader"));
}

TEST_F(SteppedEngineTest, AnOpenTaskJoins) {
  const Variable x = engine_.new_variable();
  const Variable y = engine_.new_variable();
  push(lane_, "before", {.writes = {x}});
  Completion completion = *engine_.push_open(lane_, {.name = "join", .reads = {x}, .writes = {y}});
  push(lane_, "reader", {.reads = {y}});
  completion.complete(ok_status());  // before its dependencies are done
  EXPECT_EQ(engine_.pending_tasks(), 3);
  drain();
  EXPECT_THAT(ran_, ElementsAre("before", "reader"));
}

TEST_F(SteppedEngineTest, WidthLimitsWhatRunsAtOnce) {
  const LaneRef narrow = engine_.new_lane({.name = "narrow", .width = 1});
  push(narrow, "second", {.order = 2});
  ASSERT_TRUE(engine_
                  .push(narrow, {.name = "first", .order = 1},
                        [&] {
                          EXPECT_FALSE(engine_.step()) << "the lane is full";
                          ran_.push_back("first");
                          return ok_status();
                        })
                  .ok());
  drain();
  EXPECT_THAT(ran_, ElementsAre("first", "second"));
}

TEST_F(SteppedEngineTest, AWaitInsideATaskGivesItsPlaceBack) {
  const LaneRef narrow = engine_.new_lane({.name = "narrow", .width = 1});
  ASSERT_TRUE(engine_
                  .push(narrow, {.name = "outer"},
                        [&] {
                          const Variable x = engine_.new_variable();
                          push(narrow, "inner", {.writes = {x}});
                          return engine_.wait(x);
                        })
                  .ok());
  EXPECT_TRUE(engine_.wait_all(narrow).ok());
  EXPECT_THAT(ran_, ElementsAre("inner"));
}

TEST_F(SteppedEngineTest, AWaitThatCouldNeverEndIsRefused) {
  const Variable x = engine_.new_variable();
  const Variable y = engine_.new_variable();
  Status own, later, lane;
  ASSERT_TRUE(engine_
                  .push(lane_, {.name = "selfish", .writes = {x}},
                        [&] {
                          own = engine_.wait(x);
                          push(lane_, "reader", {.reads = {x}, .writes = {y}});
                          later = engine_.wait(y);
                          lane = engine_.wait_all(lane_);
                          return ok_status();
                        })
                  .ok());
  drain();
  EXPECT_EQ(own.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(later)), HasSubstr("'selfish' would wait for itself"));
  EXPECT_EQ(lane.code(), StatusCode::kFailedPrecondition);
}

TEST_F(SteppedEngineTest, CancelDropsQueuedTasksAndTheLaneLivesOn) {
  const Variable x = engine_.new_variable();
  push(lane_, "ready", {.writes = {x}});
  push(lane_, "blocked", {.reads = {x}});
  push(lane_, "always", {.reads = {x}, .run_on_error = true});
  engine_.cancel(lane_);
  EXPECT_EQ(engine_.wait(x).code(), StatusCode::kCancelled);
  drain();
  EXPECT_THAT(ran_, ElementsAre("always"));
  push(lane_, "new", {.writes = {x}});
  EXPECT_TRUE(engine_.wait(x).ok());
}

TEST_F(SteppedEngineTest, RunningTasksSeeTheCancellation) {
  std::vector<bool> seen;
  ASSERT_TRUE(engine_
                  .push(lane_, {.name = "long"},
                        [&] {
                          seen.push_back(is_cancelled());
                          engine_.cancel(lane_);
                          seen.push_back(is_cancelled());
                          return ok_status();
                        })
                  .ok());
  Completion open = *engine_.push_open(lane_, {.name = "open"});
  drain();
  EXPECT_THAT(seen, ElementsAre(false, true));
  EXPECT_TRUE(open.is_cancelled());
  EXPECT_FALSE(is_cancelled());
}

TEST_F(SteppedEngineTest, ShutdownCancelsAndRefuses) {
  const Variable x = engine_.new_variable();
  push(lane_, "never", {.writes = {x}});
  engine_.shutdown();
  EXPECT_EQ(engine_.pending_tasks(), 0);
  EXPECT_EQ(engine_.wait(x).code(), StatusCode::kCancelled);
  EXPECT_EQ(engine_.push(lane_, {.name = "late"}, [] { return ok_status(); }).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_TRUE(ran_.empty());
}

TEST_F(SteppedEngineTest, ACompletionMayOutliveTheEngine) {
  Completion completion;
  {
    Engine engine({.workers = 0});
    const LaneRef lane = engine.new_lane({.name = "short"});
    completion = *engine.push_open(lane, {.name = "io", .writes = {engine.new_variable()}});
  }
  EXPECT_TRUE(completion.is_cancelled());
  completion.complete(ok_status());
}

TEST_F(SteppedEngineTest, HandlesOfNothingAndOfOtherEnginesAreRefused) {
  Engine other({.workers = 0});
  const auto body = [] { return ok_status(); };
  EXPECT_EQ(engine_.push(nullptr, {}, body).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.push(lane_, {.reads = {Variable()}}, body).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.push(lane_, {.reads = {other.new_variable()}}, body).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.push(other.new_lane({}), {}, body).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.push(lane_, {}, TaskBody()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.wait(Variable()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.wait(other.new_variable()).code(), StatusCode::kInvalidArgument);
}

TEST(NaiveEngineTest, RunsInTheCallerBeforePushReturns) {
  Engine engine({.naive = true});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const ExecutorRef executor = *engine.executor("python");
  const auto caller = std::this_thread::get_id();
  int runs = 0;
  for (const ExecutorRef& where : {ExecutorRef(), executor}) {
    ASSERT_TRUE(engine
                    .push(lane, {.executor = where},
                          [&] {
                            EXPECT_EQ(std::this_thread::get_id(), caller);
                            ++runs;
                            return ok_status();
                          })
                    .ok());
  }
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace forebay::engine
