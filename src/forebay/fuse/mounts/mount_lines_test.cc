#include "forebay/fuse/mounts/mount_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::fuse {
namespace {

constexpr std::string_view kLines =
    "22 1 254:0 / / rw,relatime - ext4 /dev/root rw\n"
    "36 22 0:45 / /mnt/a\\040b\\134c ro,nosuid,nodev shared:1 master:2 - fuse.forebay s3://b/x\\040y "
    "ro,user_id=0\n"
    "37 22 0:46 / /mnt/other rw - fuse.sshfs host: rw\n"
    "a line that is none\n"
    "38 22 0:47 / /mnt/twice ro - fuse.forebay one ro\n"
    "39 38 0:48 / /mnt/twice ro - fuse.forebay two ro\n"
    "40 22 0:49 / /mnt/hidden ro - fuse.forebay three ro\n"
    "41 40 0:50 / /mnt/hidden rw - tmpfs tmpfs rw\n";

TEST(MountLines, AreReadAsTheKernelWritesThem) {
  const std::vector<MountLine> lines = parse_mount_lines(kLines);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[1], (MountLine{36, "0:45", "/mnt/a b\\c", "fuse.forebay", "s3://b/x y"}));
}

TEST(MountLines, OnlyOwnMountsThatProgramsSeeAreFound) {
  const std::vector<MountLine> lines = parse_mount_lines(kLines);
  EXPECT_EQ(find_own_mount(lines, "/mnt/a b\\c")->id, 36);
  EXPECT_EQ(find_own_mount(lines, "/mnt/twice")->source, "two");
  EXPECT_FALSE(find_own_mount(lines, "/mnt/other"));
  EXPECT_FALSE(find_own_mount(lines, "/mnt/hidden"));
  EXPECT_FALSE(find_own_mount(lines, "/mnt"));
}

TEST(MountLines, AMountIsFoundWhereItHasBeenMovedTo) {
  const std::vector<MountLine> lines = parse_mount_lines(kLines);
  EXPECT_EQ(find_same_mount(lines, {.id = 36, .device = "0:45", .path = "/before"})->path, "/mnt/a b\\c");
  EXPECT_FALSE(find_same_mount(lines, {.id = 36, .device = "0:46"})) << "another, of a number that was free";
  EXPECT_FALSE(find_same_mount(lines, {.id = 35, .device = "0:45"}));
}

TEST(MountLines, TheKernelsTableIsRead) {
  const Result<std::vector<MountLine>> lines = read_mount_lines();
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_FALSE(lines->empty());
}

TEST(MountLines, AMountPointHasOnePath) {
  const TemporaryDirectory folder;
  const std::string real = std::filesystem::canonical(folder.path());
  std::filesystem::create_directory_symlink(real, real + "/link");
  std::filesystem::create_directory(real + "/x");
  EXPECT_EQ(*mount_path(real + "/x"), real + "/x");
  EXPECT_EQ(*mount_path(real + "/x/"), real + "/x");
  std::filesystem::create_directories(real + "/far/y");
  std::filesystem::create_directory_symlink(real + "/far/y", real + "/to_y");
  EXPECT_EQ(*mount_path(real + "/link/./far/../x//"), real + "/x");
  EXPECT_EQ(*mount_path(real + "/x/./"), real + "/x");
  EXPECT_EQ(*mount_path(real + "/to_y/../x"), real + "/far/x") << "as the kernel walks it";
  EXPECT_EQ(*mount_path(real + "/to_y/.."), real + "/far");
  EXPECT_EQ(*mount_path(real + "/not there"), real + "/not there") << "it need not answer";
  EXPECT_EQ(*mount_path("/"), "/");
  EXPECT_FALSE(mount_path("").ok());
  EXPECT_EQ(mount_path(real + "/no/folder").status().code(), StatusCode::kNotFound);
}

TEST(MountLines, AMountThatHasGoneIsNoOtherOne) {
  const uint64_t root = unique_mount_at("/");
  if (root == 0) {
    GTEST_SKIP() << "this kernel has no numbers of mounts that are never used again";
  }
  EXPECT_FALSE(has_mount_gone(root));
  EXPECT_FALSE(has_mount_gone(0)) << "which is not known";
  const uint64_t never = root + (uint64_t{1} << 40);
  EXPECT_TRUE(has_mount_gone(never));
  MountLine mine = {.id = 57, .device = "0:45", .type = std::string(kFileSystemType)};
  const std::vector<MountLine> lines = {mine};
  EXPECT_TRUE(find_same_mount(lines, mine).has_value());
  mine.unique = never;
  EXPECT_FALSE(find_same_mount(lines, mine).has_value()) << "another one has its numbers now";
}

}  // namespace
}  // namespace forebay::fuse
