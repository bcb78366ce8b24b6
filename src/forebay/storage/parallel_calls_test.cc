#include "forebay/storage/parallel_calls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/storage/blocking.h"
#include "forebay/storage/interruptible_waits.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/silent_store.h"

namespace forebay::storage {
namespace {

TEST(ParallelCalls, TheErrorOfTheLowestNumberIsTheOutcome) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> below = 0;
    const Status status = run_parallel_calls(100, [&](size_t i) -> Status {
      below += i < 20 ? 1 : 0;
      return i < 20 || i % 2 == 0 ? ok_status() : data_loss("number {}", i);
    });
    EXPECT_EQ(message(status), "number 21");
    EXPECT_EQ(below, 20);
  }
}

TEST(ParallelCalls, NothingNewBeginsOnceOneHasFailed) {
  std::atomic<int> begun = 0;
  const Status status = run_parallel_calls(100'000, [&](size_t) {
    ++begun;
    return unavailable("an outage");
  });
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_LE(begun, 16);
}

TEST(ParallelCalls, AnInterruptionOfTheCallerEndsAll) {
  std::latch begun(3);
  const InterruptibleWaits waits([&] { return begun.try_wait(); });
  const Status status = run_parallel_calls(3, [&](size_t) {
    SilentStore silent;
    begun.count_down();
    return stat_now(silent, "k").status();
  });
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(waits.was_interrupted());
}

TEST(ParallelCalls, AnExceptionReachesTheCaller) {
  const auto throwing = [](size_t i) -> Status {
    if (i == 3) {
      throw std::runtime_error("three");
    }
    return ok_status();
  };
  EXPECT_THROW(static_cast<void>(run_parallel_calls(100, throwing)), std::runtime_error);
  EXPECT_TRUE(run_parallel_calls(0, throwing).ok());
}

}  // namespace
}  // namespace forebay::storage
