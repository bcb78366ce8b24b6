// What a refusal of memory leaves behind: no wait of a session, and no thread of an executor.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "forebay/engine/device_queue.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/testing/failing_new.h"
#include "forebay/pipeline/core/waiting_sessions.h"
#include "forebay/pipeline/testing/noting_session.h"

namespace forebay::pipeline {
namespace {

using memory::testing::FailingNew;

/// Calls `work` with its first allocation refused, then its second, and so on until all were; and `check`
/// after each.
void refuse_each(const std::function<void()>& work, const std::function<void()>& check) {
  bool has_failed = true;
  for (int64_t at = 0; has_failed; ++at) {
    {
      const FailingNew failing(at);
      try {
        work();
      } catch (const std::bad_alloc&) {
        // what is left behind counts
      }
      has_failed = failing.has_failed();
    }
    check();
  }
}

TEST(RefusedMemoryTest, AWaitThatIsRefusedMemoryWaitsForNobody) {
  testing::NotingSession sessions[2];
  const SessionBatch awaited{.session = &sessions[1]};
  std::vector<std::unique_ptr<UserWork>> works;  // many, so that their waits need memory more than once
  for (int64_t iteration = 0; iteration < 100; ++iteration) {
    works.push_back(
        std::make_unique<UserWork>(SessionBatch{.session = &sessions[0], .iteration = iteration}));
  }
  const auto wait = [&] { BatchWait{awaited}; };
  refuse_each(wait, [&] {
    std::thread([&] {
      const UserWork work(awaited);
      EXPECT_TRUE(BatchWait({.session = &sessions[0], .iteration = 1000}).status().ok());
    }).join();
  });
  while (!works.empty()) {
    works.pop_back();  // the innermost first
  }
}

/// Counts itself when it goes, with the last of its threads.
struct CountedQueue final : engine::DeviceQueue {
  explicit CountedQueue(std::atomic<int>& count) : alive(count) { ++alive; }
  ~CountedQueue() override {
    --alive;
    alive.notify_all();
  }
  Result<Fence> record() override { return Fence{.driver = 9, .queue = 7, .sequence = ++points}; }
  Status wait_for(const Fence&) override { return ok_status(); }
  Status wait(const Fence&) override { return ok_status(); }
  Result<bool> has_passed(const Fence&) override { return true; }
  std::atomic<int>& alive;
  std::atomic<uint64_t> points{0};
};

TEST(RefusedMemoryTest, AnExecutorThatIsRefusedMemoryLeavesNoThread) {
  std::atomic<int> alive = 0;
  engine::Engine engine({.workers = 1});
  const auto make = [&] {
    const auto queue = std::make_shared<CountedQueue>(alive);
    const Result<engine::ExecutorRef> made = engine.device_executor("refused", queue);
    if (made.ok()) {
      EXPECT_NE(*made, nullptr);
    }
  };
  refuse_each(make, [&] {
    for (int left = alive; left > 0; left = alive) {
      alive.wait(left);
    }
  });
}

}  // namespace
}  // namespace forebay::pipeline
