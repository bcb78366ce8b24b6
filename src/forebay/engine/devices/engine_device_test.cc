// Device tasks, on queues that pass their points when the test says so: which tasks may be issued when, who
// waits for what, how many points that takes, and where errors go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <latch>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "forebay/engine/device_queue.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/testing/trace_check.h"

namespace forebay::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Records what it is told. Points pass when somebody waits for them; while the queue is held, they pass when
/// pass() is called.
class NotingQueue final : public DeviceQueue {
 public:
  NotingQueue(uint32_t number, std::vector<std::string>& notes) : number_(number), notes_(notes) {}

  Result<Fence> record() override {
    const std::lock_guard lock(mutex_);
    ++records_;
    return broken_.ok() ? Result<Fence>(Fence{.driver = 9, .queue = number_, .sequence = ++recorded_})
                        : broken_;
  }
  Status wait_for(const Fence& fence) override {
    const std::lock_guard lock(mutex_);
    notes_.push_back(fmt::format("{} behind {}.{}", number_, fence.queue, fence.sequence));
    return ok_status();
  }
  Status wait(const Fence& fence) override {
    std::unique_lock lock(mutex_);
    if (!is_held_) {
      passed_ = std::max(passed_, fence.sequence);
    }
    changed_.wait(lock, [&] { return passed_ >= fence.sequence || !error_.ok(); });
    return error_;
  }
  Result<bool> has_passed(const Fence& fence) override {
    const std::lock_guard lock(mutex_);
    return passed_ >= fence.sequence;
  }

  void hold() { is_held_ = true; }
  void pass() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    passed_ = recorded_;
    changed_.notify_all();
  }
  void fail(Status error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    changed_.notify_all();
  }
  void refuse_points(Status error) { broken_ = std::move(error); }
  int records() {
    const std::lock_guard lock(mutex_);
    return records_;
  }

 private:
  const uint32_t number_;
  std::vector<std::string>& notes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t recorded_ = 0;
  uint64_t passed_ = 0;
  int records_ = 0;
  bool is_held_ = false;
  Status error_;
  Status broken_;
};

/// Nothing runs except when the test steps or waits.
class EngineDeviceTest : public ::testing::Test {
 protected:
  explicit EngineDeviceTest(int workers = 0) : engine_({.workers = workers, .trace = &trace_}) {
    trace_.start();
  }

  void push(std::string name, const ExecutorRef& executor, std::vector<Variable> reads,
            std::vector<Variable> writes, Status answer = ok_status()) {
    ASSERT_EQ(engine_.push(lane_, {.name = name, .reads = reads, .writes = writes, .executor = executor},
                           [this, name, answer] {
                             notes_.push_back(name);
                             return answer;
                           }),
              ok_status());
  }
  void drain() {
    while (engine_.step()) {
    }
  }
  /// Steps until the task with that name has run.
  void run_until(const std::string& name) {
    while (std::ranges::find(notes_, name) == notes_.end()) {
      ASSERT_TRUE(engine_.step());
    }
  }

  std::vector<std::string> notes_;
  std::shared_ptr<NotingQueue> first_ = std::make_shared<NotingQueue>(1, notes_);
  std::shared_ptr<NotingQueue> second_ = std::make_shared<NotingQueue>(2, notes_);
  Trace trace_;
  Engine engine_;
  LaneRef lane_ = engine_.new_lane({.name = "lane"});
  ExecutorRef one_ = *engine_.device_executor("one", first_);
  ExecutorRef two_ = *engine_.device_executor("two", second_);
  ExecutorRef host_;
  Variable x_ = engine_.new_variable();
  Variable y_ = engine_.new_variable();
};

TEST_F(EngineDeviceTest, OneQueueNeedsNothingAndTheHostOnePointABatch) {
  for (int i = 0; i < 20; ++i) {
    push(fmt::format("{}", i), one_, {x_}, {x_});
  }
  run_until("19");
  EXPECT_EQ(first_->records(), 0);
  EXPECT_EQ(engine_.pending_tasks(), 20);
  EXPECT_EQ(engine_.wait(x_), ok_status());
  EXPECT_EQ(first_->records(), 1);
  EXPECT_EQ(engine_.pending_tasks(), 0);
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("behind"))));
}

TEST_F(EngineDeviceTest, AnotherQueueComesBehindByOnePointThatAllShare) {
  const Variable z = engine_.new_variable();
  push("a", one_, {}, {x_});
  push("b", two_, {x_}, {y_});
  push("c", two_, {x_}, {z});
  push("d", two_, {y_, z}, {y_});
  run_until("d");
  EXPECT_EQ(first_->records(), 1);
  EXPECT_EQ(second_->records(), 0);
  EXPECT_THAT(notes_, ElementsAre("a", "2 behind 1.1", "b", "c", "d"));
}

TEST_F(EngineDeviceTest, APointIsRecordedAtOnceWhereSomebodyIsKnownToNeedIt) {
  push("a", one_, {}, {x_});
  push("long", one_, {}, {y_});
  push("b", two_, {x_}, {});
  run_until("b");
  EXPECT_THAT(notes_, ElementsAre("a", "long", "2 behind 1.1", "b"));
  EXPECT_EQ(first_->records(), 1) << "recorded behind a, not behind what came later";
  push("c", two_, {y_}, {});
  run_until("c");
  EXPECT_THAT(notes_, ElementsAre("a", "long", "2 behind 1.1", "b", "2 behind 1.2", "c"));
}

TEST_F(EngineDeviceTest, AWriterComesBehindTheReadersOnOtherQueues) {
  push("read", two_, {x_}, {});
  push("write", one_, {}, {x_});
  push("read again", two_, {x_}, {});
  run_until("read again");
  EXPECT_THAT(notes_, ElementsAre("read", "1 behind 2.1", "write", "2 behind 1.1", "read again"));
}

TEST_F(EngineDeviceTest, TheHostWaitsForWhatWasIssued) {
  push("a", one_, {}, {x_});
  push("b", one_, {x_}, {y_});
  push("host", host_, {y_}, {});
  run_until("b");
  first_->hold();
  EXPECT_THAT(notes_, ElementsAre("a", "b"));
  first_->pass();
  drain();
  EXPECT_THAT(notes_, ElementsAre("a", "b", "host"));
  EXPECT_EQ(first_->records(), 1);
}

TEST_F(EngineDeviceTest, ADeviceTaskWaitsForTheHostsTasks) {
  push("host reads", host_, {x_}, {});
  push("a", one_, {}, {x_});
  push("host writes", host_, {}, {x_});
  push("b", one_, {x_}, {});
  drain();
  EXPECT_THAT(notes_, ElementsAre("host reads", "a", "host writes", "b"));
}

TEST_F(EngineDeviceTest, WhoNeedsNothingStillLeaves) {
  push("a", one_, {}, {});
  drain();
  EXPECT_EQ(engine_.pending_tasks(), 0);
  EXPECT_EQ(engine_.wait_all(lane_), ok_status());
}

TEST_F(EngineDeviceTest, ManyTasksThatNobodyWaitsForGetAPointNowAndThen) {
  for (int i = 0; i < 100; ++i) {
    push(fmt::format("{}", i), one_, {x_}, {x_});
  }
  run_until("99");
  EXPECT_EQ(first_->records(), 3);
  EXPECT_EQ(engine_.wait_all(lane_), ok_status());
  EXPECT_EQ(first_->records(), 4);
}

TEST_F(EngineDeviceTest, AnErrorOfABodyGoesToReadersOnAnyQueue) {
  push("a", one_, {}, {x_}, invalid_argument("bad"));
  push("b", two_, {x_}, {y_});
  push("host", host_, {y_}, {});
  drain();
  EXPECT_THAT(notes_, ElementsAre("a"));
  EXPECT_THAT(std::string(message(engine_.wait(y_))), HasSubstr("task 'a': bad"));
  EXPECT_THAT(std::string(message(engine_.wait_all(lane_))), HasSubstr("bad"));
  EXPECT_EQ(engine_.wait_all(lane_), ok_status());
}

TEST_F(EngineDeviceTest, AnOverwriteHealsAtOnce) {
  push("a", one_, {}, {x_}, invalid_argument("bad"));
  push("b", one_, {}, {x_});
  push("c", one_, {x_}, {y_});
  run_until("c");
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_EQ(engine_.wait(x_), ok_status());
}

TEST_F(EngineDeviceTest, AnErrorOfTheQueueGoesToAllAfterTheLastGoodPoint) {
  const Variable good = engine_.new_variable();
  push("good", one_, {}, {good});
  EXPECT_EQ(engine_.wait(good), ok_status());
  push("lost", one_, {}, {x_});
  push("read", two_, {x_}, {y_});
  push("other", two_, {}, {good});
  run_until("other");
  first_->fail(data_loss("the device has fallen off the bus"));
  EXPECT_THAT(std::string(message(engine_.wait(x_))), HasSubstr("fallen off"));
  EXPECT_THAT(std::string(message(engine_.wait(y_))), HasSubstr("fallen off"))
      << "though its own queue is well";
  EXPECT_EQ(engine_.wait(good), ok_status());
  push("later", one_, {}, {good});
  EXPECT_THAT(std::string(message(engine_.wait(good))), HasSubstr("fallen off"));
  EXPECT_THAT(notes_, Not(Contains("later")));
  EXPECT_THAT(std::string(message(engine_.wait_all(lane_))), HasSubstr("fallen off"));
}

TEST_F(EngineDeviceTest, ALateErrorDoesNotGoPastAnOverwriteThatWasIssuedMeanwhile) {
  const Variable z = engine_.new_variable();
  push("lost", one_, {}, {x_});
  push("read", two_, {x_}, {y_});
  push("overwrite", two_, {}, {x_});
  push("read new", two_, {x_}, {z});
  push("host", host_, {x_}, {});
  run_until("read new");
  first_->fail(data_loss("gone"));
  drain();
  EXPECT_EQ(engine_.error_of(y_).code(), StatusCode::kDataLoss);
  EXPECT_EQ(engine_.error_of(x_), ok_status());
  EXPECT_EQ(engine_.error_of(z), ok_status());
  EXPECT_THAT(notes_, Contains("host"));
}

TEST_F(EngineDeviceTest, WhoReadsAnOverwriteIsNotToldOfWhatWasLostBeforeIt) {
  push("lost", one_, {}, {x_});
  push("overwrite", two_, {}, {x_});
  run_until("overwrite");
  first_->fail(data_loss("gone"));
  ASSERT_TRUE(engine_.step());
  EXPECT_EQ(engine_.pending_tasks(), 1) << "the overwrite";
  push("read", two_, {x_}, {y_});
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_THAT(notes_, Contains("read"));
}

TEST_F(EngineDeviceTest, ALateErrorReachesWhoWasReadyOrRunning) {
  const Variable z = engine_.new_variable();
  push("lost", one_, {}, {x_});
  ASSERT_EQ(engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&y_, 1}, .executor = two_},
                         [this] {
                           first_->fail(data_loss("gone"));
                           EXPECT_FALSE(engine_.wait(x_).ok());
                           return ok_status();
                         }),
            ok_status());
  push("ready", two_, {x_}, {z});
  drain();
  EXPECT_EQ(engine_.error_of(y_).code(), StatusCode::kDataLoss);
  EXPECT_EQ(engine_.error_of(z).code(), StatusCode::kDataLoss);
  EXPECT_THAT(notes_, Not(Contains("ready")));
}

TEST_F(EngineDeviceTest, ALateErrorGoesOnThroughUpdates) {
  push("lost", one_, {}, {x_});
  push("update", two_, {x_}, {x_});
  push("read", two_, {x_}, {y_});
  push("host", host_, {y_}, {});
  run_until("read");
  first_->fail(data_loss("gone"));
  drain();
  EXPECT_EQ(engine_.error_of(x_).code(), StatusCode::kDataLoss);
  EXPECT_EQ(engine_.error_of(y_).code(), StatusCode::kDataLoss);
  EXPECT_THAT(notes_, Not(Contains("host")));
}

TEST_F(EngineDeviceTest, AQueueThatGivesNoPointsHasFailed) {
  first_->refuse_points(unavailable("no points"));
  push("a", one_, {}, {x_});
  push("b", two_, {x_}, {y_});
  EXPECT_THAT(std::string(message(engine_.wait(y_))), HasSubstr("no points"));
  EXPECT_EQ(engine_.pending_tasks(), 0);
}

TEST_F(EngineDeviceTest, WhatIsCancelledEndsBehindWhatWasIssued) {
  push("a", one_, {}, {x_});
  push("b", two_, {x_}, {x_});
  push("host", host_, {}, {x_});
  run_until("a");
  engine_.cancel(lane_);
  EXPECT_EQ(engine_.pending_tasks(), 3) << "b comes after what the device still does";
  EXPECT_EQ(engine_.wait(x_).code(), StatusCode::kCancelled);
  EXPECT_THAT(notes_, ElementsAre("a"));
  drain();
  EXPECT_EQ(engine_.pending_tasks(), 0);
}

TEST_F(EngineDeviceTest, ShutdownWaitsForTheDevice) {
  push("a", one_, {}, {x_});
  push("b", one_, {x_}, {x_});
  push("host", host_, {x_}, {});
  run_until("a");
  engine_.shutdown();
  EXPECT_THAT(notes_, ElementsAre("a"));
  EXPECT_EQ(first_->records(), 1);
}

TEST_F(EngineDeviceTest, OnlyTheQueueSaysWhenATaskIsDone) {
  EXPECT_EQ(engine_.push_async(lane_, {.executor = one_}, [](Completion) {}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.push_open(lane_, {.executor = one_}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(engine_.device_executor("none", nullptr).status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(*engine_.executor("one"), one_) << "names of executors are not those of devices";
}

TEST_F(EngineDeviceTest, TheTraceSaysWhenATaskWasIssuedAndBehindWhat) {
  push("a", one_, {}, {x_});
  push("b", two_, {x_}, {});
  drain();
  std::map<std::string, std::string> arguments;
  for (const TraceSpan& span : trace_.spans()) {
    arguments[span.name] = span.arguments;
  }
  EXPECT_THAT(arguments["a"], HasSubstr(R"("after":[],"queue":"one","issued_us":)"));
  EXPECT_THAT(arguments["b"], HasSubstr(R"("after":[1],"queue":"two","issued_us":)"));
}

TEST_F(EngineDeviceTest, TheTraceIsLawful) {
  push("a", one_, {}, {x_});
  push("b", two_, {x_}, {y_});
  push("host", host_, {y_}, {x_});
  push("c", one_, {x_}, {y_});
  drain();
  EXPECT_THAT(testing::check_tasks(testing::tasks_of(trace_.spans())), IsEmpty());
}

TEST_F(EngineDeviceTest, AWaitInABodyForWhatComesAfterItIsRefused) {
  Status refused;
  ASSERT_EQ(engine_.push(lane_, {.name = "a", .writes = {&x_, 1}, .executor = one_},
                         [&] {
                           refused = engine_.wait(y_);
                           return ok_status();
                         }),
            ok_status());
  push("b", two_, {x_}, {y_});
  drain();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
}

TEST_F(EngineDeviceTest, TheNaiveEngineGoesToTheEnd) {
  Engine naive({.naive = true});
  const ExecutorRef executor = *naive.device_executor("one", first_);
  const Variable x = naive.new_variable();
  ASSERT_EQ(
      naive.push(naive.new_lane({}), {.writes = {&x, 1}, .executor = executor}, [] { return ok_status(); }),
      ok_status());
  EXPECT_EQ(naive.pending_tasks(), 0);
}

TEST_F(EngineDeviceTest, RunsOnErrorIfAsked) {
  push("a", one_, {}, {x_}, invalid_argument("bad"));
  ASSERT_EQ(
      engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&y_, 1}, .executor = two_, .run_on_error = true},
                   [this] {
                     notes_.push_back("b");
                     return ok_status();
                   }),
      ok_status());
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_THAT(notes_, ElementsAre("a", "b"));
}

TEST_F(EngineDeviceTest, WhoRunsOnErrorAnywayIsNotToldOfALateOne) {
  push("lost", one_, {}, {x_});
  ASSERT_EQ(
      engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&y_, 1}, .executor = two_, .run_on_error = true},
                   [this] {
                     notes_.push_back("b");
                     return ok_status();
                   }),
      ok_status());
  run_until("b");
  first_->fail(data_loss("gone"));
  EXPECT_EQ(engine_.wait(y_), ok_status());
}

TEST_F(EngineDeviceTest, AnExecutorEndsWithItsLastHandleOnceItsTasksAreDone) {
  auto third = std::make_shared<NotingQueue>(3, notes_);
  const std::weak_ptr<NotingQueue> queue = third;
  ExecutorRef three = *engine_.device_executor("three", std::move(third));
  push("a", three, {}, {x_});
  push("b", one_, {x_}, {y_});
  run_until("b");
  three.reset();
  EXPECT_FALSE(queue.expired()) << "its task is not done";
  EXPECT_EQ(engine_.wait(y_), ok_status());
  const ExecutorRef four = *engine_.device_executor("four", std::make_shared<NotingQueue>(4, notes_));
  EXPECT_TRUE(queue.expired());
  push("c", four, {y_}, {x_});
  EXPECT_EQ(engine_.wait(x_), ok_status());
  EXPECT_THAT(notes_, ElementsAre("a", "1 behind 3.1", "b", "c"));
}

class ThreadedEngineDeviceTest : public EngineDeviceTest {
 protected:
  ThreadedEngineDeviceTest() : EngineDeviceTest(2) {}
};

TEST_F(ThreadedEngineDeviceTest, AHeldQueueHoldsTheHostAndNotTheOthers) {
  first_->hold();
  const Variable z = engine_.new_variable();
  push("a", one_, {}, {x_});
  ASSERT_EQ(engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&y_, 1}, .executor = two_},
                         [] { return ok_status(); }),
            ok_status());
  ASSERT_EQ(engine_.push(lane_, {.writes = {&z, 1}}, [] { return ok_status(); }), ok_status());
  EXPECT_EQ(engine_.wait(z), ok_status());
  int asked = 0;
  EXPECT_EQ(engine_
                .wait(x_, {.interrupted = [&] { return ++asked > 2; },
                           .poll_interval = std::chrono::milliseconds(1)})
                .code(),
            StatusCode::kCancelled);
  first_->pass();
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_EQ(engine_.wait_all(lane_), ok_status());
  EXPECT_EQ(engine_.pending_tasks(), 0);
}

TEST_F(ThreadedEngineDeviceTest, ThreadsOfAnExecutorEndWithItsLastHandle) {
  struct CountingQueue final : DeviceQueue {
    explicit CountingQueue(std::latch& latch) : gone(latch) {}
    ~CountingQueue() override { gone.count_down(); }
    Result<Fence> record() override { return Fence{.driver = 9, .queue = 7, .sequence = ++points}; }
    Status wait_for(const Fence&) override { return ok_status(); }
    Status wait(const Fence&) override { return ok_status(); }
    Result<bool> has_passed(const Fence&) override { return true; }
    std::latch& gone;
    std::atomic<uint64_t> points{0};
  };
  constexpr int kRounds = 100;
  std::latch gone(kRounds);
  for (int round = 0; round < kRounds; ++round) {
    const ExecutorRef executor = *engine_.device_executor("short", std::make_shared<CountingQueue>(gone));
    const auto nothing = [] { return ok_status(); };
    ASSERT_EQ(engine_.push(lane_, {.reads = {&y_, 1}, .writes = {&x_, 1}, .executor = executor}, nothing),
              ok_status());
    ASSERT_EQ(engine_.push(lane_, {.reads = {&x_, 1}, .writes = {&y_, 1}, .executor = one_}, nothing),
              ok_status());
  }
  gone.wait();
  EXPECT_EQ(engine_.wait(y_), ok_status());
}

TEST_F(ThreadedEngineDeviceTest, ABodyMayWaitForWhatItsQueueWasGivenBefore) {
  push("a", one_, {}, {x_});
  Status waited = unavailable("not yet");
  ASSERT_EQ(engine_.push(lane_, {.writes = {&y_, 1}, .executor = one_},
                         [&] {
                           waited = engine_.wait(x_);
                           return ok_status();
                         }),
            ok_status());
  EXPECT_EQ(engine_.wait(y_), ok_status());
  EXPECT_EQ(waited, ok_status());
}

}  // namespace
}  // namespace forebay::engine
