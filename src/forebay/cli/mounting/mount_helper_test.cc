#include "forebay/cli/mounting/mount_helper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MountHelper, IsKnownByItsName) {
  EXPECT_TRUE(is_mount_helper("/sbin/mount.forebay"));
  EXPECT_TRUE(is_mount_helper("mount.forebay"));
  EXPECT_FALSE(is_mount_helper("/usr/bin/forebay"));
}

TEST(MountHelper, SaysWhatMountAsksFor) {
  const Result<HelpedMount> mount = helped_mount(
      {"s3://b/train", "/mnt/train", "-v", "-o",
       "ro,noauto,_netdev,x-systemd.automount,allow_other,trust=1h,threads=8,home=/var/lib/forebay"});
  ASSERT_TRUE(mount.ok()) << mount.status();
  EXPECT_THAT(mount->words, ElementsAre("fuse", "--read-only", "--allow-other", "--trust=1h", "--threads=8",
                                        "--", "/mnt/train", "s3://b/train"));
  EXPECT_EQ(mount->home, "/var/lib/forebay");
}

TEST(MountHelper, MountsAllWithoutASource) {
  EXPECT_THAT(helped_mount({"forebay", "/mnt/all", "-t", "forebay"})->words,
              ElementsAre("fuse", "--", "/mnt/all"));
}

TEST(MountHelper, NamesWhatItDoesNotKnow) {
  EXPECT_THAT(std::string(helped_mount({"s3://b", "/m", "-o", "rw,trsut=1h"}).status().message()),
              HasSubstr("trsut=1h"));
  EXPECT_TRUE(helped_mount({"s3://b", "/m", "-s", "-o", "trsut=1h"}).ok());
  EXPECT_FALSE(helped_mount({"s3://b", "/m", "-o", "trust="}).ok());
  EXPECT_FALSE(helped_mount({"s3://b", "/m", "-o"}).ok());
  EXPECT_FALSE(helped_mount({"s3://b", "/m", "-N", "/proc/1/ns/mnt"}).ok());
  EXPECT_FALSE(helped_mount({"/m"}).ok());
}

TEST(MountHelper, DoesNothingWhereNothingIsToBeDone) {
  EXPECT_TRUE(helped_mount({"s3://b", "/m", "-f"})->words.empty());
}

}  // namespace
}  // namespace forebay::cli
