#include "forebay/cli/machine/control_groups.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cli {
namespace {

class ControlGroups : public ::testing::Test {
 protected:
  ControlGroups() { write("proc/self/cgroup", "5:memory:/old/job\n4:cpu,cpuacct:/old\n0::/jobs/training\n"); }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path root_ = directory_.path();
};

TEST_F(ControlGroups, AnswersNothingWhereNoneLimits) {
  write("sys/fs/cgroup/jobs/training/memory.max", "max\n");
  write("sys/fs/cgroup/memory/old/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit_of_groups(root_), std::nullopt);
  EXPECT_EQ(processors_of_groups(root_), std::nullopt);
  write("proc/self/cgroup", "");
  EXPECT_EQ(memory_limit_of_groups(root_), std::nullopt);
}

TEST_F(ControlGroups, TakesTheLeastOnTheWayToTheRoot) {
  write("sys/fs/cgroup/jobs/training/memory.max", "3000\n");
  write("sys/fs/cgroup/jobs/memory.max", "2000\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(memory_limit_of_groups(root_), 2000);
}

TEST_F(ControlGroups, KnowsTheFirstVersion) {
  write("sys/fs/cgroup/memory/old/job/memory.limit_in_bytes", "5000\n");
  write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "4000\n");
  EXPECT_EQ(memory_limit_of_groups(root_), 4000);
  write("sys/fs/cgroup/jobs/memory.max", "4500\n");
  EXPECT_EQ(memory_limit_of_groups(root_), 4000);
}

// A container may see its own group as the root, and the names of those above all the same.
TEST_F(ControlGroups, GroupsThatAreHiddenDoNotCount) {
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "6000\n");
  EXPECT_EQ(memory_limit_of_groups(root_), 6000);
}

TEST_F(ControlGroups, DividesQuotaByPeriod) {
  write("sys/fs/cgroup/jobs/training/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/jobs/cpu.max", "max 100000\n");
  EXPECT_EQ(processors_of_groups(root_), 1.5);
}

}  // namespace
}  // namespace forebay::cli
