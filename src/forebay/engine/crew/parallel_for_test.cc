// One task's work over several workers.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
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
                            both.arrive_and_wait();  // returns only if a second worker takes the other piece
                            return ok_status();
                          });
                        })
                  .ok());
  EXPECT_TRUE(engine.wait(x, {.help = false}).ok());
}

/// A loop that begins while the only other worker is busy until `has_begun_`.
class BusyWorkerTest : public ::testing::Test {
 protected:
  void push_busy() {
    const auto busy = [this] {
      both_run_.arrive_and_wait();
      has_begun_.wait();
      return ok_status();
    };
    ASSERT_TRUE(engine_.push(lane_, {}, busy).ok());
  }
  void push_loop(std::function<Status(size_t)> piece) {
    const auto loop = [this, piece = std::move(piece)] {
      both_run_.arrive_and_wait();
      return parallel_for(2, piece);
    };
    ASSERT_TRUE(engine_.push(lane_, {.writes = {done_}}, loop).ok());
  }
  void wait() {
    EXPECT_TRUE(engine_.wait(done_, {.help = false}).ok());
    EXPECT_TRUE(engine_.wait_all(lane_).ok());
  }

  std::latch both_run_{2};
  std::latch has_begun_{1};
  Engine engine_{{.workers = 2}};
  const LaneRef lane_ = engine_.new_lane({.name = "lane"});
  const Variable done_ = engine_.new_variable();
};

TEST_F(BusyWorkerTest, JoinsWhenItBecomesIdle) {
  std::latch both(2);
  push_busy();
  push_loop([&](size_t piece) {
    if (piece == 0) {
      has_begun_.count_down();  // from here on the other worker may be idle
    }
    both.arrive_and_wait();
    return ok_status();
  });
  wait();
}

TEST_F(BusyWorkerTest, TakesReadyTasksBeforeItJoins) {
  std::latch has_run(1);
  push_busy();
  push_loop([&](size_t) {
    if (has_begun_.try_wait()) {
      return ok_status();
    }
    has_begun_.count_down();
    has_run.wait();  // returns only if the other worker runs the ready task
    return ok_status();
  });
  const auto ready = [&] {
    has_run.count_down();
    return ok_status();
  };
  ASSERT_TRUE(engine_.push(lane_, {}, ready).ok());
  wait();
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
      has_run.wait();  // returns only if the worker that pushed takes the task before another piece
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
