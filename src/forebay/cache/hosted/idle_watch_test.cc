#include "forebay/cache/hosted/idle_watch.h"

#include <gtest/gtest.h>

namespace forebay::cache {
namespace {

TEST(IdleWatchTest, TimeCountsFromTheLastProcessOn) {
  IdleWatch idle(10, 0);
  EXPECT_FALSE(idle.is_over(0, 0, 9));
  EXPECT_FALSE(idle.is_over(1, 1, 12));
  EXPECT_FALSE(idle.is_over(0, 1, 21));
  EXPECT_TRUE(idle.is_over(0, 1, 22));
}

TEST(IdleWatchTest, AProcessThatCameAndWentBetweenTwoLooksCounts) {
  IdleWatch idle(10, 0);
  EXPECT_FALSE(idle.is_over(0, 1, 11));
  EXPECT_FALSE(idle.is_over(0, 1, 20));
  EXPECT_TRUE(idle.is_over(0, 1, 21));
}

TEST(IdleWatchTest, WhoIsSeenOnceOnlyPutsTheEndOff) {
  IdleWatch idle(10, 0);
  EXPECT_FALSE(idle.is_over(1, 0, 11));  // it may be about to ask for the counts
  EXPECT_TRUE(idle.is_over(0, 0, 12));
  EXPECT_FALSE(idle.is_over(1, 0, 13));
  EXPECT_FALSE(idle.is_over(1, 0, 14));  // it has not
  EXPECT_FALSE(idle.is_over(0, 1, 23));
}

TEST(IdleWatchTest, ItMayBeIdleForEver) {
  IdleWatch idle(0, 0);
  EXPECT_FALSE(idle.is_over(0, 0, int64_t{1} << 60));
}

}  // namespace
}  // namespace forebay::cache
