#include "forebay/cli/command/duration.h"

#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

TEST(DurationTest, ReadsNumbersWithUnits) {
  EXPECT_EQ(*parse_duration("0"), 0u);
  EXPECT_EQ(*parse_duration("90"), 90u);
  EXPECT_EQ(*parse_duration("90s"), 90u);
  EXPECT_EQ(*parse_duration("10m"), 600u);
  EXPECT_EQ(*parse_duration("2h"), 7'200u);
  EXPECT_EQ(*parse_duration("7d"), 604'800u);
}

TEST(DurationTest, RefusesWhatIsNoTime) {
  for (const char* const text :
       {"", "s", "-1", "1w", "1 h", "1hh", "1.5h", "18446744073709551616", "40000d"}) {
    EXPECT_EQ(parse_duration(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(DurationTest, WritesTwoParts) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(90), "1m 30s");
  EXPECT_EQ(duration_text(90'061), "1d 1h");
}

}  // namespace
}  // namespace forebay::cli
