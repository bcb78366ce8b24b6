#include "forebay/fuse/session/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

namespace forebay::fuse {
namespace {

TEST(FuseWorkers, AsManyJobsAsThereMayBeThreadsGoOnAtOnce) {
  constexpr int kThreads = 4;
  std::promise<void> all_there;
  std::atomic<int> there = 0;
  std::shared_future<void> open = all_there.get_future().share();
  std::atomic<int> done = 0;
  {
    Workers workers(kThreads);
    for (uint64_t id = 0; id < kThreads; ++id) {
      workers.add(
          id,
          [&] {
            if (++there == kThreads) {
              all_there.set_value();
            }
            open.wait();
            ++done;
          },
          [] {});
    }
    open.wait();
  }
  EXPECT_EQ(done, kThreads);
}

TEST(FuseWorkers, WhatWaitsCanBeDropped) {
  std::promise<void> begun;
  std::promise<void> go_on;
  bool was_dropped = false;
  std::atomic<int> done = 0;
  Workers workers(1);
  workers.add(
      1,
      [&] {
        begun.set_value();
        go_on.get_future().wait();
        ++done;
      },
      [] {});
  begun.get_future().wait();
  workers.add(
      2, [&] { done += 100; }, [&] { was_dropped = true; });
  EXPECT_FALSE(workers.drop(1)) << "it has begun";
  EXPECT_TRUE(workers.drop(2));
  EXPECT_TRUE(was_dropped);
  EXPECT_FALSE(workers.drop(2));
  std::promise<void> last;
  workers.add(
      3, [&] { last.set_value(); }, [] {});
  go_on.set_value();
  last.get_future().wait();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace forebay::fuse
