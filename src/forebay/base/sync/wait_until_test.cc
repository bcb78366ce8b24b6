// A wait ends with its condition or its deadline, whichever comes first.
#include "forebay/base/sync/wait_until.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace forebay {
namespace {

TEST(WaitUntil, EndsWithItsConditionOrAtTheDeadline) {
  Mutex mutex;
  std::condition_variable changed;
  bool is_over = false;
  UniqueMutexLock lock(mutex);
  const auto look = [&] { return is_over; };
  EXPECT_FALSE(wait_until(changed, lock, 0, look));
  EXPECT_FALSE(wait_until(changed, lock, std::numeric_limits<int64_t>::min(), look));
  const int64_t deadline_ns = steady_clock().now_ns() + kMillisecond;
  EXPECT_FALSE(wait_until(changed, lock, deadline_ns, look));
  EXPECT_GE(steady_clock().now_ns(), deadline_ns);
  std::thread other([&] {
    const MutexLock other_lock(mutex);
    is_over = true;
    changed.notify_all();
  });
  EXPECT_TRUE(wait_until(changed, lock, std::numeric_limits<int64_t>::max(), look));
  EXPECT_TRUE(wait_until(changed, lock, 0, look));
  lock.unlock();
  other.join();
}

}  // namespace
}  // namespace forebay
