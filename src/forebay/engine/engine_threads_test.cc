// Real workers: random programs against a serial run, waits, executors, pushes from several threads. Threads
// meet at latches, never by time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "forebay/engine/engine.h"
#include "forebay/engine/testing/threads_named.h"

namespace forebay::engine {
namespace {

TaskOptions named(std::string_view name) {
  return {.name = name};
}

/// A random program over cells: each task writes one cell as a function of the cells it reads and its own old
/// value.
struct Program {
  struct Step {
    std::vector<int> reads;
    int write;
    int lane;
    bool fails;
    bool overwrites;
  };
  static constexpr int kCells = 12;
  std::vector<Step> steps;

  explicit Program(uint32_t seed, int count, bool with_errors) {
    std::mt19937 random(seed);
    for (int i = 0; i < count; ++i) {
      Step step;
      const int reads = static_cast<int>(random() % 4);
      for (int r = 0; r < reads; ++r) {
        step.reads.push_back(static_cast<int>(random() % kCells));
      }
      step.write = static_cast<int>(random() % kCells);
      step.lane = static_cast<int>(random() % 3);
      step.fails = with_errors && random() % 17 == 0;
      step.overwrites = random() % 3 == 0;
      steps.push_back(step);
    }
  }

  static uint64_t apply(const Step& step, size_t index, const std::vector<uint64_t>& cells) {
    uint64_t value = step.overwrites ? index : cells[step.write] * 31 + index;
    for (const int read : step.reads) {
      if (read != step.write) {
        value = value * 1099511628211u + cells[read];
      }
    }
    return value;
  }

  /// The result of a serial run: values, and for each cell the step whose error it carries (-1: none).
  void run_serially(std::vector<uint64_t>& cells, std::vector<int>& errors) const {
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      int inherited = step.overwrites ? -1 : errors[step.write];
      for (size_t r = 0; r < step.reads.size() && inherited < 0; ++r) {
        if (step.reads[r] != step.write) {
          inherited = errors[step.reads[r]];
        }
      }
      if (inherited >= 0 || step.fails) {
        errors[step.write] = inherited >= 0 ? inherited : static_cast<int>(i);
        continue;
      }
      errors[step.write] = -1;
      cells[step.write] = apply(step, i, cells);
    }
  }
};

struct OracleCase {
  int workers;
  bool with_errors;
};

class OracleTest : public ::testing::TestWithParam<OracleCase> {};

TEST_P(OracleTest, RandomProgramsEqualASerialRun) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const Program program(seed, 600, GetParam().with_errors);
    std::vector<uint64_t> expected(Program::kCells);
    std::vector<int> expected_errors(Program::kCells, -1);
    program.run_serially(expected, expected_errors);

    Engine engine({.workers = GetParam().workers});
    std::vector<LaneRef> lanes = {engine.new_lane({.name = "a"}), engine.new_lane({.name = "b", .width = 1}),
                                  engine.new_lane({.name = "c", .weight = 3})};
    std::vector<Variable> variables;
    std::vector<uint64_t> cells(Program::kCells);
    for (int i = 0; i < Program::kCells; ++i) {
      variables.push_back(engine.new_variable());
    }
    for (size_t i = 0; i < program.steps.size(); ++i) {
      const Program::Step& step = program.steps[i];
      std::vector<Variable> reads;
      for (const int read : step.reads) {
        if (read != step.write) {
          reads.push_back(variables[read]);
        }
      }
      if (!step.overwrites) {
        reads.insert(reads.begin(), variables[step.write]);
      }
      const std::string name = std::to_string(i);
      ASSERT_TRUE(engine
                      .push(lanes[step.lane],
                            {.name = name, .reads = reads, .writes = {variables[step.write]}},
                            [&cells, &step, i]() -> Status {
                              if (step.fails && i % 2 == 0) {
                                throw static_cast<int>(i);
                              }
                              if (step.fails) {
                                return data_loss("planned");
                              }
                              cells[step.write] = Program::apply(step, i, cells);
                              return ok_status();
                            })
                      .ok());
    }
    // Among several reads that carry errors, the first one listed is inherited.
    for (int i = 0; i < Program::kCells; ++i) {
      const Status status = engine.wait(variables[i]);
      EXPECT_EQ(status.ok(), expected_errors[i] < 0) << seed;
      if (!status.ok() && expected_errors[i] >= 0) {
        EXPECT_THAT(std::string(message(status)),
                    ::testing::HasSubstr("task '" + std::to_string(expected_errors[i]) + "'"));
      }
    }
    for (const LaneRef& lane : lanes) {
      (void)engine.wait_all(lane);
    }
    for (int i = 0; i < Program::kCells; ++i) {
      if (expected_errors[i] < 0) {
        EXPECT_EQ(cells[i], expected[i]) << seed << " " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, OracleTest,
                         ::testing::Values(OracleCase{0, true}, OracleCase{1, false}, OracleCase{2, true},
                                           OracleCase{4, true}, OracleCase{8, false}));

TEST(EngineThreadsTest, ReadersRunTogetherAWriterAlone) {
  Engine engine({.workers = 3});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  std::latch all_read(3);
  std::atomic<int> readers = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(engine
                    .push(lane, {.reads = {x}},
                          [&] {
                            ++readers;
                            all_read.arrive_and_wait();  // returns only if all three run at once
                            --readers;
                            return ok_status();
                          })
                    .ok());
  }
  ASSERT_TRUE(engine
                  .push(lane, {.writes = {x}},
                        [&] {
                          EXPECT_EQ(readers, 0);
                          return ok_status();
                        })
                  .ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok());
}

TEST(EngineThreadsTest, AWaitIsNotDelayedByUnrelatedWork) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  std::latch started(1);
  std::latch release(1);
  ASSERT_TRUE(engine
                  .push(lane, named("long"),
                        [&] {
                          started.count_down();
                          release.wait();
                          return ok_status();
                        })
                  .ok());
  started.wait();
  ASSERT_TRUE(engine.push(lane, {.name = "short", .writes = {x}}, [] { return ok_status(); }).ok());
  EXPECT_TRUE(engine.wait(x).ok()) << "the only worker is busy; the waiter helps";
  release.count_down();
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(EngineThreadsTest, WaitersDoNotHelpWhereTheyMayNot) {
  Engine engine({.workers = 1});
  const LaneRef lane = engine.new_lane({.name = "lane", .waiters_help = false});
  const ExecutorRef executor = *engine.executor("python");
  const auto caller = std::this_thread::get_id();
  for (const ExecutorRef& where : {ExecutorRef(), executor}) {
    const Variable x = engine.new_variable();
    ASSERT_TRUE(engine
                    .push(lane, {.writes = {x}, .executor = where},
                          [&] {
                            EXPECT_NE(std::this_thread::get_id(), caller);
                            return ok_status();
                          })
                    .ok());
    EXPECT_TRUE(engine.wait(x).ok());
  }
}

TEST(EngineThreadsTest, WaitingInsideTasksCannotExhaustTheWorkers) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane", .width = 2});
  std::vector<Variable> done;
  std::vector<Completion> completions;
  for (int i = 0; i < 8; ++i) {
    const Variable gate = engine.new_variable();
    completions.push_back(*engine.push_open(lane, {.writes = {gate}}));
    done.push_back(engine.new_variable());
    ASSERT_TRUE(engine
                    .push(lane, {.name = "waits", .writes = {done.back()}},
                          [&engine, gate] { return engine.wait(gate); })
                    .ok());
  }
  // All eight are inside their wait, on two workers, and still others run.
  const Variable x = engine.new_variable();
  ASSERT_TRUE(engine.push(lane, {.writes = {x}}, [] { return ok_status(); }).ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok());
  for (Completion& completion : completions) {
    completion.complete(ok_status());
  }
  for (const Variable& variable : done) {
    EXPECT_TRUE(engine.wait(variable).ok());
  }
}

TEST(EngineThreadsTest, SeveralThreadsMayPush) {
  Engine engine({.workers = 2});
  const Variable sum = engine.new_variable();
  uint64_t total = 0;  // guarded by the writes of `sum`
  std::vector<std::thread> pushers;
  for (int t = 0; t < 4; ++t) {
    pushers.emplace_back([&] {
      const LaneRef lane = engine.new_lane({.name = "lane"});
      for (int i = 0; i < 500; ++i) {
        const Variable own = engine.new_variable();
        auto value = std::make_shared<int>(0);
        EXPECT_TRUE(engine
                        .push(lane, {.writes = {own}},
                              [value] {
                                *value = 1;
                                return ok_status();
                              })
                        .ok());
        EXPECT_TRUE(engine
                        .push(lane, {.reads = {own, sum}, .writes = {sum}},
                              [value, &total] {
                                total += static_cast<uint64_t>(*value);
                                return ok_status();
                              })
                        .ok());
      }
      EXPECT_TRUE(engine.wait_all(lane).ok());
    });
  }
  for (std::thread& pusher : pushers) {
    pusher.join();
  }
  EXPECT_TRUE(engine.wait(sum).ok());
  EXPECT_EQ(total, 2000);
}

// Workers that are between two tasks neither run nor sleep, and look for work themselves. One more watches.
TEST(EngineThreadsTest, OnlyOneMoreWorkerIsStartedThanMayRun) {
  const int before = testing::threads_named("forebay-worker");
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({});
  for (int round = 0; round < 200; ++round) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          EXPECT_TRUE(engine.push(lane, {}, [] { return ok_status(); }).ok());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_TRUE(engine.wait_all(lane, {.help = false}).ok());
  }
  EXPECT_LE(testing::threads_named("forebay-worker") - before, 3);
}

TEST(EngineThreadsTest, TasksThatPushAndWaitRecursively) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  std::function<Result<int>(int)> fibonacci = [&](int n) -> Result<int> {
    if (n < 2) {
      return n;
    }
    const Variable left = engine.new_variable();
    auto value = std::make_shared<int>(0);
    FOREBAY_RETURN_IF_ERROR(engine.push(lane, {.writes = {left}}, [&fibonacci, value, n] {
      FOREBAY_ASSIGN_OR_RETURN(*value, fibonacci(n - 1));
      return ok_status();
    }));
    FOREBAY_ASSIGN_OR_RETURN(const int right, fibonacci(n - 2));
    FOREBAY_RETURN_IF_ERROR(engine.wait(left));
    return *value + right;
  };
  EXPECT_EQ(*fibonacci(12), 144);
}

TEST(EngineThreadsTest, CompletionsOnOtherThreads) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  std::vector<std::thread> io;
  std::mutex mutex;
  const Variable x = engine.new_variable();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(engine
                    .push_async(lane, {.reads = {x}, .writes = {x}},
                                [&](Completion completion) {
                                  std::lock_guard lock(mutex);
                                  io.emplace_back([held = std::move(completion)]() mutable {
                                    held.complete(ok_status());
                                  });
                                })
                    .ok());
  }
  EXPECT_TRUE(engine.wait(x).ok());
  for (std::thread& thread : io) {
    thread.join();
  }
}

TEST(EngineThreadsTest, ShutdownWithWorkInFlight) {
  auto engine = std::make_unique<Engine>(EngineOptions{.workers = 2});
  const LaneRef lane = engine->new_lane({.name = "lane"});
  const Variable x = engine->new_variable();
  std::latch started(1);
  ASSERT_TRUE(engine
                  ->push(lane, {.writes = {x}},
                         [&] {
                           started.count_down();
                           while (!is_cancelled()) {
                             std::this_thread::yield();
                           }
                           return ok_status();
                         })
                  .ok());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(engine->push(lane, {.reads = {x}}, [] { return internal_error("must not run"); }).ok());
  }
  started.wait();
  engine.reset();
}

TEST(EngineThreadsTest, ATaskMayDropTheLastEngine) {
  auto engine = std::make_shared<Engine>(EngineOptions{.workers = 1});
  const LaneRef lane = engine->new_lane({.name = "lane"});
  std::latch gone(1);
  std::latch dropped(1);
  ASSERT_TRUE(engine
                  ->push(lane, {},
                         [engine, &gone, &dropped]() mutable {
                           dropped.wait();
                           engine.reset();
                           gone.count_down();
                           return ok_status();
                         })
                  .ok());
  engine.reset();
  dropped.count_down();
  gone.wait();
}

}  // namespace
}  // namespace forebay::engine
