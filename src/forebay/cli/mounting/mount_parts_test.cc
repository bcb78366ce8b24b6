#include "forebay/cli/mounting/mount_parts.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace forebay::cli {
namespace {

MountSettings some_settings() {
  MountSettings settings;
  settings.mount_point = "/mnt/a b";
  settings.shown = "s3://bucket/train";
  settings.mounted_as = "57,0:45,4294967311";
  settings.source = "s3://bucket/train";
  return settings;
}

using Words = std::vector<std::string>;

TEST(MountParts, TheUsersWordsStayAndThoseOfThePartBeforeGo) {
  const Words words = {"forebay", "fuse", "--foreground", "a b", "--", "s3://bucket/train"};
  const Words first = words_as(some_settings(), MountPart::kFirst, words);
  EXPECT_EQ(first, (Words{"forebay", "fuse", "--part=first", "--at=/mnt/a b", "--shows=s3://bucket/train",
                          "--foreground", "a b", "--", "s3://bucket/train"}));
  const Words server = words_as(some_settings(), MountPart::kServer, first);
  EXPECT_EQ(server, (Words{"forebay", "fuse", "--part=server", "--at=/mnt/a b", "--shows=s3://bucket/train",
                           "--foreground", "a b", "--", "s3://bucket/train"}));
  const Words supervisor = words_as(some_settings(), MountPart::kSupervisor, server);
  EXPECT_EQ(supervisor,
            (Words{"forebay", "fuse", "--part=supervisor", "--at=/mnt/a b", "--shows=s3://bucket/train",
                   "--mounted-as=57,0:45,4294967311", "--foreground", "a b", "--", "s3://bucket/train"}));
  EXPECT_EQ(words_as(some_settings(), MountPart::kServer, supervisor), server);
}

TEST(MountParts, AreUnderstoodAndNotInTheHelp) {
  CLI::App program;
  CLI::App* const command = program.add_subcommand("fuse");
  MountSettings settings;
  add_part_options(*command, settings);
  std::string name;
  command->add_option("mountpoint", name);
  EXPECT_EQ(command->help().find("--part"), std::string::npos);
  const Words words = words_as(some_settings(), MountPart::kCarefulServer, {"forebay", "fuse", "a b"});
  std::vector<const char*> pointers;
  for (const std::string& each : words) {
    pointers.push_back(each.c_str());
  }
  program.parse(static_cast<int>(pointers.size()), pointers.data());
  EXPECT_EQ(settings.part, MountPart::kCarefulServer);
  EXPECT_EQ(settings.mount_point, "/mnt/a b");
  EXPECT_EQ(settings.shown, "s3://bucket/train");
  EXPECT_EQ(name, "a b");
}

TEST(MountParts, AMountIsNamedByTheKernelsNumbers) {
  MountSettings settings = some_settings();
  const Result<fuse::MountLine> line = mounted_line(settings);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->id, 57);
  EXPECT_EQ(line->device, "0:45");
  EXPECT_EQ(line->path, "/mnt/a b");
  EXPECT_EQ(line->unique, 4294967311u);
  EXPECT_EQ(mounted_text(*line), settings.mounted_as);
  for (const std::string text :
       {"", "57", "57,", ",0:45,1", "x,0:45,1", "57,,1", "57,0:45", "57,0:45,x", "99999999999,0:45,1"}) {
    settings.mounted_as = text;
    EXPECT_EQ(mounted_line(settings).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace forebay::cli
