#include "forebay/cli/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace forebay::cli {
namespace {

class ControlGroups : public ::testing::Test {
 protected:
  ControlGroups() : root_(std::filesystem::path(::testing::TempDir()) / "forebay_machine_test") {
    std::filesystem::remove_all(root_);
    write("proc/self/cgroup", "0::/jobs/training\n");
  }
  ~ControlGroups() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::filesystem::path root_;
};

TEST_F(ControlGroups, AnswersNothingWhereNoneLimits) {
  write("sys/fs/cgroup/jobs/training/memory.max", "max\n");
  EXPECT_EQ(control_group_limit(root_, "memory.max"), std::nullopt);
  EXPECT_EQ(control_group_processors(root_), std::nullopt);
}

TEST_F(ControlGroups, TakesTheLeastOnTheWayToTheRoot) {
  write("sys/fs/cgroup/jobs/training/memory.max", "3000\n");
  write("sys/fs/cgroup/jobs/memory.max", "2000\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(control_group_limit(root_, "memory.max"), 2000);
}

TEST_F(ControlGroups, DividesQuotaByPeriod) {
  write("sys/fs/cgroup/jobs/training/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/jobs/cpu.max", "max 100000\n");
  EXPECT_EQ(control_group_processors(root_), 1.5);
}

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
