#include "forebay/storage/interruptible_waits.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/silent_store.h"

namespace forebay::storage {
namespace {

TEST(InterruptibleWaits, EndTheCallThatIsWaitedForAndAllBehindIt) {
  SilentStore store;
  int asked = 0;
  const InterruptibleWaits waits([&asked] { return ++asked == 2; });
  EXPECT_EQ(stat_now(store, "k").status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(waits.was_interrupted());
  EXPECT_EQ(stat_now(store, "k").status().code(), StatusCode::kCancelled);
  EXPECT_EQ(asked, 2);
}

TEST(InterruptibleWaits, LeaveCallsWithATokenOfTheirOwn) {
  SilentStore store;
  const InterruptibleWaits waits([] { return true; });
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(stat_now(store, "k", {.cancellation = stop.get_token()}).status().code(), StatusCode::kCancelled);
  EXPECT_FALSE(waits.was_interrupted());
}

TEST(InterruptibleWaits, EndWithTheirScope) {
  MemoryStore store;
  {
    const InterruptibleWaits outer([] { return false; });
    const InterruptibleWaits inner([] { return true; });
    EXPECT_EQ(stat_now(store, "k").status().code(), StatusCode::kNotFound) << "answered at once";
    EXPECT_FALSE(inner.was_interrupted());
  }
  EXPECT_FALSE(WaitedCall({}).time_between_looks());
}

}  // namespace
}  // namespace forebay::storage
