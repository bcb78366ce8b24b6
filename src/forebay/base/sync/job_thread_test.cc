// The thread with jobs: its jobs, its end, and forked children.
#include "forebay/base/sync/job_thread.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace forebay {
namespace {

constexpr unsigned kLongestChild_s = 60;

TEST(JobThreadTest, DoesWhatItHasInOrderBeforeItStops) {
  std::vector<int> done;
  JobThread thread(100, "jobs");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(thread.add([&done, i] { done.push_back(i); }).ok());
  }
  thread.stop();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(thread.add([] {}).code(), StatusCode::kUnavailable);
}

TEST(JobThreadTest, OfSeveralThreadsOneGoesOnWhileAnotherIsBusy) {
  std::counting_semaphore<> done(0);
  bool were_done = false;
  JobThread threads(100, "jobs", 2);
  ASSERT_TRUE(threads
                  .add([&] {
                    were_done = true;
                    for (int i = 0; i < 5; ++i) {
                      were_done = were_done && done.try_acquire_for(std::chrono::minutes(1));
                    }
                  })
                  .ok());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(threads.add([&done] { done.release(); }).ok());
  }
  threads.stop();
  EXPECT_TRUE(were_done);
}

TEST(JobThreadTest, WhoeverStopsItWaitsForTheEnd) {
  std::counting_semaphore<> go_on(0);
  std::atomic<bool> is_done = false;
  std::atomic<int> returned_early = 0;
  JobThread threads(100, "jobs", 4);
  ASSERT_TRUE(threads
                  .add([&] {
                    go_on.try_acquire_for(std::chrono::minutes(1));
                    is_done = true;
                  })
                  .ok());
  std::vector<std::thread> stopping;
  for (int i = 0; i < 8; ++i) {
    stopping.emplace_back([&] {
      threads.stop();
      returned_early += is_done ? 0 : 1;
    });
  }
  while (threads.add([] {}).ok()) {
    std::this_thread::yield();  // until one of them has begun
  }
  go_on.release();
  for (std::thread& each : stopping) {
    each.join();
  }
  EXPECT_EQ(returned_early, 0);
}

TEST(JobThreadTest, IsLeftAloneByAForkedChildThatDestroysIt) {
  auto thread = std::make_unique<JobThread>(1, "jobs");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(kLongestChild_s);
    thread.reset();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(thread->add([] {}).ok());
}

}  // namespace
}  // namespace forebay
