#include "forebay/cli/command/progress_bar.h"

#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

TEST(DrawBar, FillsWithTheShare) {
  EXPECT_EQ(draw_bar("reading", 1, 2, "", 79), "reading [###############               ]  50 %");
  EXPECT_EQ(draw_bar("reading", 2, 2, "10/s", 79), "reading [##############################] 100 % 10/s");
}

TEST(DrawBar, TakesNothingToDoForDone) {
  EXPECT_EQ(draw_bar("a", 0, 0, "", 8), "a [#####");
}

TEST(DrawBar, NeverPassesTheEnd) {
  EXPECT_EQ(draw_bar("a", 9, 3, "", 79).find('%'), 39);
}

}  // namespace
}  // namespace forebay::cli
