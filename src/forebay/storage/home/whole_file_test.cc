// A file that is replaced as a whole, on a disk whose power goes.
#include "forebay/storage/home/whole_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "forebay/storage/local/local_writer.h"
#include "forebay/storage/testing/forgetful_disk.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

using testing::ForgetfulDisk;
using Outcomes = std::set<ForgetfulDisk::Content>;

const std::string kOld = "what was there";
const std::string kNew = "what is to be there";

TEST(WholeFile, ALossOfPowerLeavesTheOldOneOrTheNewOne) {
  for (const bool has_old : {false, true}) {
    const TemporaryDirectory directory;
    const std::string path = directory / "file";
    ForgetfulDisk disk;
    ForgetfulDisk::Content old;
    if (has_old) {
      std::ofstream(path) << kOld;
      disk.put_durable(path, kOld);
      old = kOld;
    }
    size_t points = 0;
    const AtPoint look = [&](std::string_view point) {
      ++points;
      for (const ForgetfulDisk::Content& content : disk.after_loss(path)) {
        EXPECT_TRUE(content == old || content == kNew) << point << ": " << content.value_or("(none)");
      }
    };
    ASSERT_TRUE(replace_file(path, kNew, look, disk).ok());
    EXPECT_EQ(points, std::size(kReplacePoints));
    EXPECT_EQ(disk.after_loss(path), Outcomes{kNew}) << "once it is acknowledged";
  }
}

TEST(WholeFile, WhatAKilledWriterLeftIsReplaced) {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  std::ofstream(path + ".new") << "half of";
  ASSERT_TRUE(replace_file(path, kNew, {}).ok());
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), kNew);
}

/// Takes no byte, or syncs nothing.
class FullDisk final : public Disk {
 public:
  explicit FullDisk(bool takes_bytes) : takes_bytes_(takes_bytes) {}
  Result<FileDescriptor> create(const std::string& path, mode_t mode) override {
    return host_disk().create(path, mode);
  }
  Status write(int file, const std::string& path, Bytes content) override {
    return takes_bytes_ ? host_disk().write(file, path, content) : resource_exhausted("{}: full", path);
  }
  Status sync(int, const std::string& path) override { return resource_exhausted("{}: full", path); }
  Status rename(const std::string& from, const std::string& to) override {
    return host_disk().rename(from, to);
  }
  Status link(const std::string& from, const std::string& to) override { return host_disk().link(from, to); }
  Status remove(const std::string& path) override { return host_disk().remove(path); }
  Status sync_folder(const std::string& folder) override { return host_disk().sync_folder(folder); }

 private:
  const bool takes_bytes_;
};

TEST(WholeFile, WhatCannotBeWrittenLeavesNothingBesideTheOldOne) {
  for (const bool takes_bytes : {false, true}) {
    const TemporaryDirectory directory;
    const std::string path = directory / "file";
    std::ofstream(path) << kOld;
    FullDisk disk(takes_bytes);
    EXPECT_EQ(replace_file(path, kNew, {}, disk).code(), StatusCode::kResourceExhausted);
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), kOld);
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  }
}

/// What a loss of power may leave of an object that was written and acknowledged.
Outcomes left_of_write(bool is_synced, bool if_absent) {
  const TemporaryDirectory directory;
  const std::string path = directory / "checkpoint";
  ForgetfulDisk disk;
  auto writer = *LocalWriter::create(path, path, {.if_absent = if_absent}, is_synced, disk);
  writer->append(std::as_bytes(std::span(kNew)), {}, [](const Status& status) { EXPECT_TRUE(status.ok()); });
  EXPECT_EQ(disk.after_loss(path), Outcomes{std::nullopt});
  EXPECT_TRUE(writer->commit_file().ok());
  return disk.after_loss(path);
}

TEST(LocalWriterTest, WhatIsAcknowledgedSurvivesALossOfPower) {
  EXPECT_EQ(left_of_write(true, false), Outcomes{kNew});
  EXPECT_EQ(left_of_write(true, true), Outcomes{kNew});
  EXPECT_GT(left_of_write(false, false).size(), 1u) << "the disk forgets what is not synced";
}

}  // namespace
}  // namespace forebay::storage
