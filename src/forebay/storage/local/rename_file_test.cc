// Renames that replace nothing, where the file system can do so and where it cannot.
#include "forebay/storage/local/rename_file.h"

#include <gtest/gtest.h>
#include <stdio.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

/// As NFS.
int cannot_rename_so(int, const char*, int, const char*, unsigned flags) {
  EXPECT_EQ(flags, RENAME_NOREPLACE);
  errno = EINVAL;
  return -1;
}

class RenameFileTest : public ::testing::TestWithParam<RenameCall> {
 protected:
  std::string put(const std::string& name, const std::string& content) {
    const std::string path = directory_ / name;
    std::ofstream(path) << content;
    return path;
  }
  static std::string content_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryDirectory directory_;
};

TEST_P(RenameFileTest, AFileMovesToAFreeName) {
  const std::string from = put("from", "content");
  const std::string to = directory_ / "to";
  EXPECT_EQ(rename_to_free_name(from, to, GetParam()), 0);
  EXPECT_EQ(content_of(to), "content");
  EXPECT_FALSE(std::filesystem::exists(from));
  EXPECT_EQ(std::filesystem::hard_link_count(to), 1);
}

TEST_P(RenameFileTest, WhatIsThereStays) {
  const std::string from = put("from", "one");
  const std::string to = put("to", "another");
  EXPECT_EQ(rename_to_free_name(from, to, GetParam()), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(content_of(from), "one");
  EXPECT_EQ(content_of(to), "another");
}

TEST_P(RenameFileTest, WhatIsNotThereIsNotMoved) {
  EXPECT_EQ(rename_to_free_name(directory_ / "from", directory_ / "to", GetParam()), -1);
  EXPECT_EQ(errno, ENOENT);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, RenameFileTest, ::testing::Values(&::renameat2, &cannot_rename_so));

TEST(RenameFile, AFolderIsNotLinked) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "from");
  EXPECT_EQ(rename_to_free_name(directory / "from", directory / "to", cannot_rename_so), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_TRUE(std::filesystem::exists(directory / "from"));
}

}  // namespace
}  // namespace forebay::storage
