#include "forebay/cli/machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

TEST(ChosenWord, IsTheOneInBrackets) {
  EXPECT_EQ(chosen_word("always [madvise] never\n"), "madvise");
  EXPECT_EQ(chosen_word(""), "");
  EXPECT_EQ(chosen_word("always [mad"), "");
}

TEST(Machine, TellsEverythingInADetail) {
  for (const Finding& finding : examine_machine()) {
    EXPECT_THAT(finding.detail, ::testing::Not(::testing::IsEmpty())) << finding.name;
    if (finding.verdict == Verdict::kAbsent) {
      EXPECT_THAT(finding.advice, ::testing::Not(::testing::IsEmpty())) << finding.name;
    }
  }
}

}  // namespace
}  // namespace forebay::cli
