// Versions of local files: which changes of a file make its version another one.
#include "forebay/storage/local/file_version.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "forebay/storage/local/local_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

class FileVersionTest : public ::testing::Test {
 protected:
  void put(const std::string& key, const std::string& content) {
    ASSERT_TRUE(write_now(store_, key, as_bytes(content)).ok());
  }

  TemporaryDirectory directory_;
  LocalStore store_{{.root = directory_.path()}};
};

TEST_F(FileVersionTest, AFileReplacedIsSeen) {
  put("k", "one");
  EXPECT_EQ(text_of(*read_now(store_, {.key = "k"})), "one");
  put("other", "another");
  std::filesystem::rename(directory_ / "other", directory_ / "k");
  EXPECT_EQ(text_of(*read_now(store_, {.key = "k"})), "another");
}

/// Sets a file's mode until its time of change has moved on from that of `before`.
void touch(const std::string& path, const struct stat& before) {
  struct stat now = before;
  while (now.st_ctim.tv_sec == before.st_ctim.tv_sec && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec) {
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    ASSERT_EQ(::stat(path.c_str(), &now), 0);
  }
}

/// Whether the file system keeps no time of birth.
bool lacks_birth(const std::string& path) {
  FileStatus status;
  return look_at(path.c_str(), &status) == 0 && status.born_ns == 0;
}

TEST_F(FileVersionTest, AFileThatWasLinkedIsTheSameAndIsCounted) {
  put("k", "one");
  const std::string path = directory_ / "k";
  if (lacks_birth(path)) {
    GTEST_SKIP() << "the file system keeps no time of birth";
  }
  const std::string version = stat_now(store_, "k")->version;
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const uint64_t counted = touched_reads();
  EXPECT_EQ(text_of(*read_now(store_, {.key = "k", .if_version = version})), "one");
  EXPECT_EQ(touched_reads(), counted);
  std::filesystem::create_hard_link(path, directory_ / "backup");
  touch(path, before);
  ASSERT_NE(stat_now(store_, "k")->version, version);
  const Result<ReadBytes> read = read_now(store_, {.key = "k", .if_version = version});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(text_of(*read), "one");
  EXPECT_EQ(read->version, version) << "a cache keeps it under the name that it asked for";
  EXPECT_EQ(touched_reads(), counted + 1);
  EXPECT_EQ(write_now(store_, "k", as_bytes("two"), {.if_version = version}).status().code(),
            StatusCode::kAborted);
}

TEST_F(FileVersionTest, AVersionWithoutTheTimeOfBirthIsACondition) {
  put("k", "one");
  FileStatus status;
  ASSERT_EQ(look_at((directory_ / "k").c_str(), &status), 0);
  status.born_ns = 0;
  const std::string version = file_version(status);
  EXPECT_TRUE(rename_now(store_, {.from = "k", .to = "moved", .if_version = version}).ok());

  put("k", "one");
  ASSERT_EQ(look_at((directory_ / "k").c_str(), &status), 0);
  status.born_ns = 0;
  const WriteOptions if_same = {.if_version = file_version(status)};
  const Result<ObjectStat> written = write_now(store_, "k", as_bytes("two"), if_same);
  EXPECT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(write_now(store_, "k", as_bytes("three"), if_same).status().code(), StatusCode::kAborted);
  EXPECT_EQ(
      rename_now(store_, {.from = "k", .to = "moved", .if_version = if_same.if_version}).status().code(),
      StatusCode::kAborted);
}

TEST_F(FileVersionTest, AFileThatWasReplacedIsAnotherEvenWithTheSameTime) {
  put("k", "one");
  const std::string path = directory_ / "k";
  const std::string version = stat_now(store_, "k")->version;
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const timespec times[] = {before.st_atim, before.st_mtim};
  put("new", "two");
  ASSERT_EQ(::utimensat(AT_FDCWD, (directory_ / "new").c_str(), times, 0), 0);
  std::filesystem::rename(directory_ / "new", path);
  EXPECT_EQ(read_now(store_, {.key = "k", .if_version = version}).status().code(), StatusCode::kAborted);
}

TEST_F(FileVersionTest, AFileThatGotTheInodeOfARemovedOneIsAnother) {
  const std::string path = directory_ / "k";
  const timespec times[] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
  const auto make = [&](const char* content) {
    FileStatus status;
    std::ofstream(path) << content;
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    EXPECT_EQ(look_at(path.c_str(), &status), 0);
    return status;
  };
  constexpr int kMaxTries = 100'000;  // some clocks of files stand still for 10 ms
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const FileStatus before = make("one");
    const std::string version = file_version(before);
    FileStatus now = before;
    const auto is_of_one_tick = [&] {
      return nanoseconds_of(now.st_ctim) == nanoseconds_of(before.st_ctim) ||
             (now.born_ns != 0 && now.born_ns == before.born_ns);
    };
    while (is_of_one_tick() && tries < kMaxTries) {
      std::filesystem::remove(path);
      now = make("two");
      ++tries;
    }
    if (now.st_ino == before.st_ino) {
      EXPECT_EQ(read_now(store_, {.key = "k", .if_version = version}).status().code(), StatusCode::kAborted);
      return;
    }
    std::filesystem::remove(path);
  }
  GTEST_SKIP() << "the file system did not give an inode again";
}

TEST_F(FileVersionTest, AFileThatWasWrittenInPlaceIsAnother) {
  put("k", "one");
  const std::string path = directory_ / "k";
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const timespec times[] = {{0, UTIME_OMIT}, {before.st_mtim.tv_sec - 60, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const std::string version = stat_now(store_, "k")->version;
  std::ofstream(path) << "two";
  EXPECT_EQ(read_now(store_, {.key = "k", .if_version = version}).status().code(), StatusCode::kAborted);
}

TEST(FileVersion, OnlyTheTimeOfChangeMayDiffer) {
  EXPECT_TRUE(has_same_content("1-2-3-b-4", "1-2-3-b-4"));
  EXPECT_TRUE(has_same_content("1-2-3-b-4", "1-2-3-b-5"));
  for (const std::string_view other :
       {"9-2-3-b-4", "1-9-3-b-4", "1-2-9-b-4", "1-2-3-c-4", "1-2-3", "", "1-2-3-b-4-5", "\"1-2-3-b-4\""}) {
    EXPECT_FALSE(has_same_content("1-2-3-b-4", other)) << other;
    EXPECT_FALSE(has_same_content(other, "1-2-3-b-4")) << other;
  }
  EXPECT_FALSE(has_same_content("an etag", "another"));
}

TEST(FileVersion, WithoutTheTimeOfBirthNothingMayDiffer) {
  FileStatus status;
  status.st_mode = S_IFREG;
  status.st_ino = 1;
  status.st_size = 2;
  status.st_mtim.tv_nsec = 3;
  status.st_ctim.tv_nsec = 4;
  EXPECT_EQ(file_version(status), "1-2-3-4") << "of old indexes, and where no time of birth is kept";
  status.born_ns = 11;
  EXPECT_EQ(file_version(status), "1-2-3-b-4");
  EXPECT_TRUE(has_same_content("1-2-3-4", "1-2-3-b-4"));
  EXPECT_TRUE(has_same_content("1-2-3-b-4", "1-2-3-4"));
  EXPECT_FALSE(has_same_content("1-2-3-4", "1-2-3-5"));
  EXPECT_FALSE(has_same_content("1-2-3-4", "1-2-3-b-5"));
  EXPECT_FALSE(has_same_content("1-2-3-b-4", "1-2-3-5"));
  EXPECT_TRUE(is_same_version("1-2-3-4", "1-2-3-b-4"));
  EXPECT_FALSE(is_same_version("1-2-3-4", "1-2-3-b-5"));
  EXPECT_FALSE(is_same_version("1-2-3-b-4", "1-2-3-b-5")) << "it has been touched";
  EXPECT_TRUE(is_same_version("an etag", "an etag"));
  EXPECT_FALSE(is_same_version("an etag", "another"));
  status.st_mode = S_IFDIR;
  EXPECT_EQ(file_version(status), "1-0-3-4") << "of a folder the time of change counts as it is";
}

}  // namespace
}  // namespace forebay::storage
