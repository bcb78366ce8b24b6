#include "forebay/fuse/mounts/fusermount.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/fuse/mounts/mount_point.h"

namespace forebay::fuse {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

/// Programs that stand in for fusermount3: they write their words to a file.
class Fusermount : public testing::Test {
 protected:
  void SetUp() override {
    if (::access(kPython, X_OK) != 0) {
      GTEST_SKIP() << "there is no " << kPython;
    }
  }
  std::string program(const std::string& rest) const {
    const std::string path = folder_ / "fusermount";
    std::ofstream(path) << "#!" << kPython << "\nimport array, os, socket, sys\nopen('" << folder_.path()
                        << "/words', 'w').write('|'.join(sys.argv[1:]))\n"
                        << rest << "\n";
    ::chmod(path.c_str(), 0700);
    return path;
  }
  std::string words() const {
    std::ifstream file(folder_ / "words");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  const TemporaryDirectory folder_;
};

constexpr const char* kSends =
    "socket.socket(fileno=int(os.environ['_FUSE_COMMFD'])).sendmsg([b'x'], [(socket.SOL_SOCKET, "
    "socket.SCM_RIGHTS, array.array('i', [os.open('/dev/null', os.O_RDWR)]))])";

TEST_F(Fusermount, GivesTheDescriptorThatItHasOpened) {
  const Result<FileDescriptor> device = mount_by_program(
      {.path = "/mnt/x", .source = "s3://a,b\\c", .is_for_others = true, .is_read_only = true},
      program(kSends));
  ASSERT_TRUE(device.ok()) << device.status();
  struct stat status {};
  ASSERT_EQ(::fstat(device->get(), &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_EQ(
      words(),
      "-o|ro,nosuid,nodev,default_permissions,subtype=forebay,fsname=s3://a\\,b\\\\c,allow_other|--|/mnt/x");
}

TEST_F(Fusermount, ARefusalIsAnError) {
  const MountPointOptions options = {.path = "/mnt/x", .source = "s3://b"};
  for (const std::string& how :
       {std::string("sys.exit(1)"), std::string(kSends) + "; sys.exit(1)", std::string()}) {
    EXPECT_EQ(mount_by_program(options, program(how)).status().code(), StatusCode::kFailedPrecondition)
        << how;
  }
}

TEST_F(Fusermount, AMountWithoutItsDescriptorIsTakenAway) {
  EXPECT_FALSE(mount_by_program({.path = "/mnt/x", .source = "s3://b"}, program("")).ok());
  EXPECT_EQ(words(), "-u|-z|--|/mnt/x");
}

TEST_F(Fusermount, SaysWhatToInstall) {
  std::ofstream(folder_ / "no program") << "x";
  for (const char* const name : {"absent", "no program"}) {
    const Status status = mount_by_program({.path = "/mnt/x"}, folder_ / name).status();
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(message(status)), testing::HasSubstr("fuse3"));
  }
}

TEST_F(Fusermount, Unmounts) {
  EXPECT_TRUE(unmount_by_program("/mnt/x", false, program("")).ok());
  EXPECT_EQ(words(), "-u|--|/mnt/x");
  EXPECT_TRUE(unmount_by_program("/mnt/x", true, program("")).ok());
  EXPECT_EQ(words(), "-u|-z|--|/mnt/x");
  EXPECT_FALSE(unmount_by_program("/mnt/x", true, program("sys.exit(1)")).ok());
}

}  // namespace
}  // namespace forebay::fuse
