#include "forebay/base/sync/timer.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <semaphore>
#include <string>

namespace forebay {
namespace {

constexpr int64_t kHour = int64_t{3600} * 1'000'000'000;

TEST(ThreadTimer, CallsInTheOrderOfTheTimes) {
  ThreadTimer timer;
  std::string order;
  std::binary_semaphore done(0);
  const int64_t now_ns = timer.now_ns();
  timer.at(now_ns + 20'000'000, [&] {
    order += "c";
    done.release();
  });
  timer.at(now_ns + 10'000'000, [&] { order += "b"; });
  timer.at(0, [&] { order += "a"; });
  done.acquire();
  EXPECT_EQ(order, "abc");
}

TEST(ThreadTimer, WhatIsHurriedIsDueNow) {
  ThreadTimer timer;
  std::binary_semaphore done(0);
  const Timer::Id id = timer.at(timer.now_ns() + kHour, [&] { done.release(); });
  timer.hurry(id);
  done.acquire();
  timer.hurry(id);  // too late, and no harm
}

TEST(ThreadTimer, GoesWithWhatIsNotDue) {
  bool called = false;
  {
    ThreadTimer timer;
    timer.at(timer.now_ns() + kHour, [&] { called = true; });
  }
  EXPECT_FALSE(called);
}

TEST(ThreadTimer, WorksInAForkedChild) {
  if (kIsThreadSanitized) {
    GTEST_SKIP() << "under this sanitizer the child of a program with threads can start none";
  }
  std::binary_semaphore before(0);
  process_timer().at(0, [&] { before.release(); });
  before.acquire();
  const pid_t process = ::fork();
  if (process == 0) {
    ::alarm(60);
    std::binary_semaphore done(0);
    process_timer().at(0, [&] { done.release(); });
    done.acquire();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(process, &status), process);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace forebay
