// One task's work over several workers.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "forebay/engine/engine.h"

namespace forebay::engine {
namespace {

std::string message(const Status& status) {
  return std::string(status.message());
}

TEST(ParallelForTest, CoversEachPieceOnce) {
  Engine engine({.workers = 4});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  std::vector<std::atomic<int>> hits(1000);
  ASSERT_TRUE(engine
                  .push(lane, {.writes = {x}},
                        [&] {
                          return parallel_for(hits.size(), [&](size_t piece) {
                            ++hits[piece];
                            return parallel_for(3, [](size_t) { return ok_status(); });
                          });
                        })
                  .ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok());
  for (const auto& hit : hits) {
    EXPECT_EQ(hit, 1);
  }
}

TEST(ParallelForTest, IdleWorkersJoin) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  ASSERT_TRUE(engine
                  .push(lane, {.writes = {x}},
                        [&] {
                          std::latch both(2);
                          return parallel_for(2, [&](size_t) {
                            both.arrive_and_wait();  // passes only if a second worker takes the other piece
                            return ok_status();
                          });
                        })
                  .ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok());
}

TEST(ParallelForTest, WorkersThatBecomeIdleJoin) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  const Variable y = engine.new_variable();
  std::latch both_run(2);
  std::latch has_begun(1);
  const auto other = [&] {
    both_run.arrive_and_wait();
    has_begun.wait();
    return ok_status();
  };
  const auto work = [&] {
    both_run.arrive_and_wait();
    std::latch both(2);
    return parallel_for(2, [&](size_t piece) {
      if (piece == 0) {
        has_begun.count_down();  // from here on the other worker may be idle
      }
      both.arrive_and_wait();
      return ok_status();
    });
  };
  ASSERT_TRUE(engine.push(lane, {.writes = {x}}, other).ok());
  ASSERT_TRUE(engine.push(lane, {.writes = {y}}, work).ok());
  EXPECT_TRUE(engine.wait(y, {.help = false}).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(ParallelForTest, WorkersTakeReadyTasksBeforeTheyJoin) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  const Variable y = engine.new_variable();
  std::latch both_run(2);
  std::latch has_begun(1);
  std::latch has_run(1);
  const auto other = [&] {
    both_run.arrive_and_wait();
    has_begun.wait();
    return ok_status();
  };
  const auto work = [&] {
    both_run.arrive_and_wait();
    return parallel_for(2, [&](size_t) {
      if (has_begun.try_wait()) {
        return ok_status();
      }
      has_begun.count_down();
      has_run.wait();  // passes only if the other worker runs the task that is ready
      return ok_status();
    });
  };
  const auto ready = [&] {
    has_run.count_down();
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.writes = {x}}, other).ok());
  ASSERT_TRUE(engine.push(lane, {.writes = {y}}, work).ok());
  ASSERT_TRUE(engine.push(lane, {}, ready).ok());
  EXPECT_TRUE(engine.wait(y, {.help = false}).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(ParallelForTest, AReadyTaskCallsAWorkerAway) {
  Engine engine({.workers = 2});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const Variable x = engine.new_variable();
  std::latch both(2);
  std::latch has_run(1);
  const auto ready = [&] {
    has_run.count_down();
    return ok_status();
  };
  const auto work = [&] {
    const std::thread::id caller = std::this_thread::get_id();
    return parallel_for(10, [&, caller](size_t piece) -> Status {
      if (piece < 2) {
        both.arrive_and_wait();  // so each worker has one of the first two
      }
      if (piece < 2 && std::this_thread::get_id() != caller) {
        return engine.push(lane, {}, ready);
      }
      has_run.wait();  // passes only if the worker that has pushed takes the task before another piece
      return ok_status();
    });
  };
  ASSERT_TRUE(engine.push(lane, {.writes = {x}}, work).ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

TEST(ParallelForTest, TheLowestErrorWins) {
  Engine engine({.workers = 4});
  for (int round = 0; round < 50; ++round) {
    const Status status = engine.parallel_for(64, [](size_t piece) -> Status {
      if (piece == 7) {
        throw std::runtime_error("seven");
      }
      return piece > 7 ? internal_error("later") : ok_status();
    });
    EXPECT_EQ(message(status), "exception: seven");
  }
  EXPECT_TRUE(parallel_for(0, [](size_t) { return internal_error("none"); }).ok());
  EXPECT_EQ(message(parallel_for(3, [](size_t i) { return internal_error("{}", i); })), "0");
}

}  // namespace
}  // namespace forebay::engine
