#include "forebay/engine/crew/pace.h"

#include <gtest/gtest.h>

namespace forebay::engine {
namespace {

TEST(PaceTest, NothingIsShortBeforeItHasBeenSeen) {
  EXPECT_FALSE(Pace().is_short());
}

TEST(PaceTest, OneLongBodyAmongShortOnesEndsIt) {
  Pace pace;
  for (int i = 0; i < 20; ++i) {
    pace.note(50);
  }
  EXPECT_TRUE(pace.is_short());
  pace.note(1'000'000'000);
  EXPECT_FALSE(pace.is_short());
  for (int i = 0; i < 20; ++i) {
    pace.note(50);
  }
  EXPECT_TRUE(pace.is_short()) << "however long it was";
  pace.note_long();
  EXPECT_FALSE(pace.is_short());
}

TEST(PaceTest, ShortTasksAreSortedInAsTheyRun) {
  Pace pace;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(pace.looks_now());
    EXPECT_EQ(pace.sorts_now(1000), kSortedAtOnce);
  }
  for (int i = 0; i < 20; ++i) {
    pace.note(50);
  }
  int looks = 0;
  for (int i = 0; i < 640; ++i) {
    looks += pace.looks_now() ? 1 : 0;
  }
  EXPECT_EQ(looks, 20);
  EXPECT_EQ(pace.sorts_now(0), kSortedAtOnce);
  EXPECT_EQ(pace.sorts_now(1000), 1);
}

TEST(PaceTest, LooksBecomeRarerWhileTasksAreShort) {
  Pace pace;
  EXPECT_EQ(pace.watch_time(), kShortestWatch);
  for (int i = 0; i < 20; ++i) {
    pace.note(50);
    pace.note_progress();
  }
  EXPECT_EQ(pace.watch_time(), kLongestWatch);
  pace.note_long();
  EXPECT_EQ(pace.watch_time(), kShortestWatch);
}

TEST(PaceTest, AFewBodiesAreTimed) {
  Pace pace;
  int timed = 0;
  for (int i = 0; i < 310; ++i) {
    timed += pace.samples_next() ? 1 : 0;
  }
  EXPECT_EQ(timed, 10);
}

}  // namespace
}  // namespace forebay::engine
