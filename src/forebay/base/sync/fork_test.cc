#include "forebay/base/sync/fork.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "forebay/base/metrics/metrics.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"

namespace forebay {
namespace {

// One thread keeps taking the lock, so that many of the forks happen while it is held.
template <class Use>
void expect_usable_in_children(const Use& use) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  std::atomic<bool> is_over = false;
  std::thread user([&] {
    while (!is_over) {
      use();
    }
  });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a hang is a failure, not a stuck build
      use();
      _exit(0);
    }
    int state = -1;
    wait_for_child(child, &state);
    ASSERT_EQ(state, 0) << "child " << i;
  }
  is_over = true;
  user.join();
}

TEST(ForkTest, AKeptLockIsUsable) {
  static auto* mutex = new std::mutex;
  keep_usable_in_child(*mutex);
  expect_usable_in_children([] { std::lock_guard lock(*mutex); });
}

TEST(ForkTest, CountersAreUsable) {
  counter("fork_test").add(1);
  expect_usable_in_children([] { counter("fork_test").add(1); });
}

}  // namespace
}  // namespace forebay
