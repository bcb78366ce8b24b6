// fork(), the process's engine, the trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <latch>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/base/trace/task_log.h"
#include "forebay/engine/engine.h"

namespace forebay::engine {
namespace {

// Runs `check` in a forked child; its return value is the child's exit code.
int in_child(const std::function<int()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a hang is a failure, not a stuck build
    _exit(check());
  }
  int state = 0;
  wait_for_child(child, &state);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

TEST(EngineProcessTest, HandlesOfTheParentGiveErrorsInTheChild) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  auto engine = std::make_unique<Engine>(EngineOptions{.workers = 2});
  const LaneRef lane = engine->new_lane({.name = "lane"});
  const Variable x = engine->new_variable();
  std::latch release(1);
  std::latch started(1);
  ASSERT_TRUE(engine
                  ->push(lane, {.writes = {x}},
                         [&] {
                           started.count_down();
                           release.wait();
                           return ok_status();
                         })
                  .ok());
  started.wait();
  Completion open = *engine->push_open(lane, {.name = "open"});
  const int code = in_child([&] {
    const auto dead = [](const Status& status) { return status.code() == StatusCode::kFailedPrecondition; };
    if (!dead(engine->push(lane, {.writes = {x}}, [] { return ok_status(); }))) {
      return 1;
    }
    if (!dead(engine->wait(x)) || !dead(engine->wait_all(lane)) || !dead(engine->error_of(x))) {
      return 2;
    }
    Engine fresh({.workers = 2});
    const LaneRef own_lane = fresh.new_lane({.name = "lane"});
    const Variable y = fresh.new_variable();
    if (!dead(fresh.push(own_lane, {.reads = {x}}, [] { return ok_status(); }))) {
      return 3;
    }
    if (!fresh.push(own_lane, {.writes = {y}}, [] { return ok_status(); }).ok() || !fresh.wait(y).ok()) {
      return 4;
    }
    engine->cancel(lane);
    open.complete(ok_status());
    engine.reset();
    return 0;
  });
  EXPECT_EQ(code, 0);
  release.count_down();
  open.complete(ok_status());
  EXPECT_TRUE(engine->wait_all(lane).ok());
}

TEST(EngineProcessTest, TheProcessEngineIsSharedAndFreshInAChild) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const auto engine = Engine::process_engine();
  EXPECT_EQ(engine, Engine::process_engine());
  engine->ensure_workers(3);
  engine->ensure_workers(2);
  EXPECT_EQ(engine->workers(), 3);
  const LaneRef lane = engine->new_lane({.name = "lane"});
  ASSERT_TRUE(engine->push(lane, {}, [] { return ok_status(); }).ok());
  EXPECT_TRUE(engine->wait_all(lane).ok());
  const int code = in_child([&] {
    const auto fresh = Engine::process_engine();
    if (fresh == engine || fresh->workers() != 1) {
      return 1;
    }
    const LaneRef own_lane = fresh->new_lane({.name = "lane"});
    const bool pushed = fresh->push(own_lane, {}, [] { return ok_status(); }).ok();
    return pushed && fresh->wait_all(own_lane, {.help = false}).ok() ? 0 : 2;
  });
  EXPECT_EQ(code, 0);
}

TEST(EngineProcessTest, LeavingTheProcessWithTasksInFlightIsSilent) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto leave = [] {
    const auto engine = Engine::process_engine();
    engine->ensure_workers(2);
    const LaneRef lane = engine->new_lane({.name = "lane"});
    const ExecutorRef executor = *engine->executor("python");
    auto started = std::make_shared<std::latch>(1);
    (void)engine->push(lane, {.executor = executor}, [started] {
      started->count_down();
      std::latch(1).wait();  // for ever, like a task that waits for an interpreter that has ended
      return ok_status();
    });
    for (int i = 0; i < 100; ++i) {
      (void)engine->push(lane, {}, [] { return ok_status(); });
    }
    started->wait();
    std::exit(0);
  };
  EXPECT_EXIT(leave(), ::testing::ExitedWithCode(0), "^$");
}

TEST(EngineTraceTest, SpansHaveTimesAndEdges) {
  SteppedClock clock;
  Trace trace(clock);
  trace.start();
  Engine engine({.workers = 0, .clock = &clock, .trace = &trace});
  const LaneRef lane = engine.new_lane({.name = "a \"lane\""});
  const Variable x = engine.new_variable();
  const auto takes = [&](int64_t us) {
    return [&clock, us] {
      clock.advance_ns(us * 1000);
      return ok_status();
    };
  };
  ASSERT_TRUE(engine.push(lane, {.name = "produce", .writes = {x}}, takes(10)).ok());
  clock.advance_ns(2000);
  ASSERT_TRUE(engine.push(lane, {.name = "consume", .reads = {x}}, takes(5)).ok());
  while (engine.step()) {
  }
  const std::vector<TraceSpan> spans = trace.spans();
  ASSERT_EQ(spans.size(), 2);
  EXPECT_EQ(spans[0].name, "produce");
  EXPECT_EQ(spans[0].begin_ns, 2000);
  EXPECT_EQ(spans[0].end_ns, 12000);
  EXPECT_EQ(spans[1].begin_ns, 12000);
  EXPECT_EQ(spans[1].end_ns, 17000);
  EXPECT_EQ(spans[1].arguments,
            R"({"id":2,"lane":"a \"lane\"","push_us":2.000,"ready_us":12.000,"after":[1]})");
}

TEST(EngineTraceTest, WhatEndsAfterItsBodyIsMarked) {
  SteppedClock clock;
  Trace trace(clock);
  trace.start();
  Engine engine({.workers = 0, .clock = &clock, .trace = &trace});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  Completion kept;
  const auto keep = [&](Completion completion) { kept = std::move(completion); };
  ASSERT_TRUE(engine.push_async(lane, {.name = "read", .site = "main.cc:7"}, keep).ok());
  ASSERT_TRUE(engine.push(lane, {.name = "count"}, [] { return ok_status(); }).ok());
  while (engine.step()) {
  }
  clock.advance_ns(3000);
  kept.complete(ok_status());
  const std::vector<TraceTask> tasks = trace.tasks();
  ASSERT_EQ(tasks.size(), 2);
  EXPECT_EQ(tasks[0].label->name, "count");
  EXPECT_FALSE(tasks[0].is_asynchronous);
  EXPECT_EQ(tasks[1].label->site, "main.cc:7");
  EXPECT_EQ(tasks[1].end_ns - tasks[1].begin_ns, 3000);
  EXPECT_TRUE(tasks[1].is_asynchronous);
}

TEST(EngineTraceTest, AnEngineMayGoBeforeItsTraceIsRead) {
  Trace trace;
  trace.start();
  {
    Engine engine({.workers = 1, .trace = &trace});
    const LaneRef lane = engine.new_lane({.name = "lane"});
    ASSERT_TRUE(engine.push(lane, {.name = "a"}, [] { return ok_status(); }).ok());
    ASSERT_TRUE(engine.wait_all(lane).ok());
  }
  EXPECT_EQ(trace.tasks().size(), 1);
  trace.clear();
  EXPECT_TRUE(trace.tasks().empty());
}

}  // namespace
}  // namespace forebay::engine
