// Who is too slow, by hand-made times.
#include "forebay/net/server/pace.h"

#include <gtest/gtest.h>

#include "forebay/base/units.h"

namespace forebay::net {
namespace {

constexpr PaceRules kRules = {.time_ms = 1000, .least_bytes_per_s = 100};
constexpr int64_t kTick = 250 * kMillisecond;

class TakingPaceTest : public ::testing::Test {
 protected:
  /// So many looks, a quarter of a time apart, in each of which `bytes` more have been taken.
  void look(int times, uint64_t bytes, std::optional<int64_t> oldest_ns) {
    for (int i = 0; i < times; ++i) {
      now_ns_ += kTick;
      taken_bytes_ += bytes;
      pace_.look(now_ns_, taken_bytes_, oldest_ns, kRules);
    }
  }

  int64_t now_ns_ = 10 * kSecond;
  uint64_t taken_bytes_ = 5000;
  TakingPace pace_;
};

TEST_F(TakingPaceTest, WhoTakesSteadilyIsNotTooSlowHoweverLongItLasts) {
  const int64_t since_ns = now_ns_;
  for (int i = 0; i < 400; ++i) {
    look(1, 25, since_ns);
    ASSERT_FALSE(pace_.is_too_slow()) << i;
  }
}

TEST_F(TakingPaceTest, WhoTakesTooLittleIs) {
  look(4, 24, now_ns_);
  EXPECT_FALSE(pace_.is_too_slow());  // not a whole time yet
  look(1, 24, now_ns_ - kSecond);
  EXPECT_TRUE(pace_.is_too_slow());
  look(3, 1000, now_ns_ - kSecond);
  EXPECT_TRUE(pace_.is_too_slow());  // until the next time has ended
  look(1, 0, now_ns_ - kSecond);
  EXPECT_FALSE(pace_.is_too_slow());
}

TEST_F(TakingPaceTest, AnAnswerThatHasJustComeIsNobodysFault) {
  for (int i = 0; i < 20; ++i) {
    look(1, 0, now_ns_ + kTick - kSecond / 2);  // each of them is taken, and the next has lain half a time
    ASSERT_FALSE(pace_.is_too_slow());
  }
}

TEST_F(TakingPaceTest, TimesWithoutAnswersDoNotCount) {
  look(8, 0, std::nullopt);
  look(4, 0, now_ns_);
  EXPECT_FALSE(pace_.is_too_slow());
  look(1, 0, now_ns_ - kSecond);
  EXPECT_TRUE(pace_.is_too_slow());
  look(1, 0, std::nullopt);
  EXPECT_FALSE(pace_.is_too_slow());
}

// A quick request behind a slow one: its answer can only be taken after that of the first.
TEST_F(TakingPaceTest, TimesInWhichNothingCouldBeTakenAreForgotten) {
  const int64_t since_ns = now_ns_;
  look(8, 0, since_ns);
  EXPECT_TRUE(pace_.is_too_slow());
  pace_.begin();
  EXPECT_FALSE(pace_.is_too_slow());
  for (int i = 0; i < 20; ++i) {
    look(1, 1000, since_ns);
    ASSERT_FALSE(pace_.is_too_slow()) << i;
  }
  pace_.begin();
  look(4, 0, since_ns);
  EXPECT_FALSE(pace_.is_too_slow());  // not a whole time yet
  look(1, 0, since_ns);
  EXPECT_TRUE(pace_.is_too_slow());
}

TEST_F(TakingPaceTest, WhatSeemsToBeTakenBackIsNotCountedTwice) {
  const int64_t since_ns = now_ns_ - kSecond;
  look(1, 0, since_ns);
  const uint64_t before = taken_bytes_;
  look(1, 50, since_ns);
  taken_bytes_ = before;
  look(2, 0, since_ns);
  taken_bytes_ = before + 99;
  look(1, 0, since_ns);
  EXPECT_TRUE(pace_.is_too_slow());
}

TEST(Pace, OneByteIsAskedForAtLeast) {
  Pace pace;
  const PaceRules rules = {.time_ms = 10, .least_bytes_per_s = 1};
  pace.begin(0, 7);
  EXPECT_EQ(pace.is_too_slow(9 * kMillisecond, 7, rules), std::nullopt);
  EXPECT_EQ(pace.is_too_slow(10 * kMillisecond, 7, rules), true);
  EXPECT_EQ(pace.is_too_slow(20 * kMillisecond, 8, rules), false);
}

}  // namespace
}  // namespace forebay::net
