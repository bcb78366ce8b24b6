#include "forebay/cache/disk/disk_worker.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <latch>
#include <semaphore>
#include <vector>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"

namespace forebay::cache {
namespace {

TEST(DiskWorker, WhatIsTakenBackIsNotDone) {
  DiskWorker worker;
  std::binary_semaphore begun(0);
  std::binary_semaphore go_on(0);
  const DiskWorker::Ticket first = worker.add(
      [&] {
        begun.release();
        go_on.acquire();
      },
      1);
  begun.acquire();
  std::vector<int> done;
  std::vector<DiskWorker::Ticket> tickets;
  for (int i = 0; i < 100; ++i) {
    tickets.push_back(worker.add([&done, i] { done.push_back(i); }, 1));
  }
  for (size_t i = 0; i < tickets.size(); ++i) {
    if (i % 10 != 3) {
      EXPECT_TRUE(worker.take_back(tickets[i])) << i;
      EXPECT_FALSE(worker.take_back(tickets[i])) << i;
    }
  }
  EXPECT_FALSE(worker.take_back(first));  // it has begun
  go_on.release();
  worker.flush();
  EXPECT_EQ(done, std::vector<int>({3, 13, 23, 33, 43, 53, 63, 73, 83, 93}));
  EXPECT_FALSE(worker.take_back(tickets[3]));
}

TEST(DiskWorker, AllMayBeTakenBack) {
  DiskWorker worker;
  std::binary_semaphore begun(0);
  std::binary_semaphore go_on(0);
  worker.add(
      [&] {
        begun.release();
        go_on.acquire();
      },
      1);
  begun.acquire();
  EXPECT_TRUE(worker.take_back(worker.add([] { ADD_FAILURE(); }, 5)));
  worker.help(0);  // nothing waits
  go_on.release();
  worker.flush();
}

TEST(DiskWorker, NobodyWaitsForWhatIsAddedLater) {
  DiskWorker worker;
  std::binary_semaphore go_on(0);
  std::atomic<bool> is_done = false;
  const DiskWorker::Ticket first = worker.add([&] { is_done = true; }, 1);
  worker.add([&] { go_on.acquire(); }, 1);
  worker.await(first);
  EXPECT_TRUE(is_done);
  go_on.release();
  worker.flush();
}

TEST(DiskWorker, AFlushEndsThoughThereIsAlwaysMoreToDo) {
  DiskWorker worker;
  std::atomic<bool> goes_on = true;
  std::function<void()> again = [&] {
    if (goes_on) {
      worker.add(again, 1);
    }
  };
  worker.add(again, 1);
  worker.flush();
  goes_on = false;
  worker.flush();
}

TEST(DiskWorker, SeveralThreadsOverlapTheirJobs) {
  constexpr int kThreads = 3;
  std::latch all_have_begun(kThreads);
  DiskWorker worker(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    worker.add([&] { all_have_begun.arrive_and_wait(); }, 1);
  }
  worker.flush();
  EXPECT_TRUE(worker.has_thread());
}

// As in a process that may have no more threads.
TEST(DiskWorker, WithoutAThreadWhoWaitsDoesTheWork) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_another = geteuid() != 0 || setuid(65534) == 0;  // the superuser has no limit
    const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    int done = 0;
    if (is_another && setrlimit(RLIMIT_NPROC, &none) == 0) {
      DiskWorker worker;
      worker.add([&] { ++done; }, 1);
      worker.flush();
      worker.add([&] { done += worker.has_thread() ? 0 : 1; }, 1);
      worker.help(0);
      worker.add([&] { ++done; }, 1);
    }
    _exit(done == 3 ? 0 : 1);
  }
  int status = 0;
  wait_for_child(child, &status);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace forebay::cache
