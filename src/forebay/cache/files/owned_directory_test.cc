// Who may have a directory, and what its owner knows of those that look at what earlier owners left.
#include "forebay/cache/files/owned_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/testing/wait_for_child.h"

namespace forebay::cache {
namespace {

constexpr uid_t kOtherUser = 65534;

class OwnedDirectoryTest : public ::testing::Test {
 protected:
  OwnedDirectoryTest() { std::filesystem::create_directory(path_); }

  void make_file(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name) << content;
  }
  std::string content_of(const std::string& name) {
    std::string content;
    std::getline(std::ifstream(path_ + "/" + name), content, '\0');
    return content;
  }
  Status refusal() { return own_directory(path_).status(); }

  const TemporaryDirectory outer_;
  const std::string path_ = outer_ / "cache";
};

TEST_F(OwnedDirectoryTest, IsOneOwnersAtATime) {
  Result<std::unique_ptr<OwnedDirectory>> first = own_directory(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(refusal().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refusal().ToString(), ::testing::HasSubstr("(pid " + std::to_string(getpid()) + ")"));
  first->reset();
  EXPECT_TRUE(own_directory(path_).ok());
}

TEST_F(OwnedDirectoryTest, EarlierReadersAreKnownUntilTheirLastCopyHasGone) {
  std::unique_ptr<OwnedDirectory> owner = *own_directory(path_);
  FileDescriptor reader = *owner->reader();
  FileDescriptor copy = *owner->reader();
  EXPECT_FALSE(owner->has_earlier_readers()) << "they are its own";
  owner.reset();
  owner = *own_directory(path_);
  const FileDescriptor own_reader = *owner->reader();
  EXPECT_TRUE(owner->has_earlier_readers());
  reader = FileDescriptor();
  EXPECT_TRUE(owner->has_earlier_readers());
  copy = FileDescriptor();
  EXPECT_FALSE(owner->has_earlier_readers());
}

TEST_F(OwnedDirectoryTest, ReadersOfSeveralEarlierOwnersCount) {
  const FileDescriptor first = *(*own_directory(path_))->reader();
  { const FileDescriptor second = *(*own_directory(path_))->reader(); }
  EXPECT_TRUE((*own_directory(path_))->has_earlier_readers());
}

TEST_F(OwnedDirectoryTest, AChildThatWasForkedIsAReader) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  std::unique_ptr<OwnedDirectory> owner = *own_directory(path_);
  FileDescriptor reader = *owner->reader();
  owner.reset();
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[1]);
    char end = 0;
    _exit(read(pipe_ends[0], &end, 1) == 0 ? 0 : 1);
  }
  reader = FileDescriptor();
  owner = *own_directory(path_);
  EXPECT_TRUE(owner->has_earlier_readers());
  close(pipe_ends[1]);
  int status = 0;
  wait_for_child(child, &status);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(owner->has_earlier_readers());
  close(pipe_ends[0]);
}

TEST_F(OwnedDirectoryTest, WhatNoCacheHasMadeIsNotTaken) {
  make_file("objects/thesis", "mine");
  EXPECT_EQ(refusal().code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(content_of("objects/thesis"), "mine");
  std::filesystem::remove_all(path_ + "/objects");
  make_file("notes.txt", "mine");
  EXPECT_TRUE(own_directory(path_).ok()) << "nothing of it has a name that a cache gives";
  make_file("objects/thesis", "mine");
  EXPECT_TRUE(own_directory(path_).ok()) << "it is a cache's now";
}

TEST_F(OwnedDirectoryTest, ALockThatNoCacheHasMadeIsLeftAsItIs) {
  make_file("lock", "a poem");
  EXPECT_EQ(refusal().code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(content_of("lock"), "a poem");
  std::filesystem::remove(path_ + "/lock");
  std::ofstream(outer_ / "poem") << "a poem";
  std::filesystem::create_symlink(outer_ / "poem", path_ + "/lock");
  EXPECT_FALSE(own_directory(path_).ok()) << "a link";
  EXPECT_EQ(content_of("lock"), "a poem");
  std::filesystem::remove(path_ + "/lock");
  ASSERT_EQ(mkfifo((path_ + "/lock").c_str(), 0600), 0);
  EXPECT_EQ(refusal().code(), StatusCode::kPermissionDenied) << "and it does not wait for a reader";
}

TEST_F(OwnedDirectoryTest, WhatOthersMayChangeIsNotTaken) {
  ASSERT_EQ(chmod(path_.c_str(), 0777), 0);
  EXPECT_EQ(refusal().code(), StatusCode::kPermissionDenied);
  ASSERT_EQ(chmod(path_.c_str(), 0755), 0);
  EXPECT_TRUE(own_directory(path_).ok());
}

/// Runs `check` as a user who is not the superuser.
bool holds_for_another_user(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    const bool is_another = geteuid() != 0 || seteuid(kOtherUser) == 0;
    _exit(is_another && check() ? 0 : 1);
  }
  int status = 0;
  wait_for_child(child, &status);
  return status == 0;
}

TEST_F(OwnedDirectoryTest, OfAnotherUserIsNotTaken) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  if (geteuid() != 0) {
    GTEST_SKIP() << "only the superuser may become another user";
  }
  ASSERT_EQ(chmod(outer_.path().c_str(), 0755), 0);
  EXPECT_TRUE(holds_for_another_user([&] { return refusal().code() == StatusCode::kPermissionDenied; }));
  ASSERT_EQ(chown(path_.c_str(), kOtherUser, kOtherUser), 0);
  EXPECT_EQ(refusal().code(), StatusCode::kPermissionDenied)
      << "nor by the superuser, whom its owner could fool";
  ASSERT_EQ(chown(path_.c_str(), 0, 0), 0);
}

TEST_F(OwnedDirectoryTest, WhatCannotBeWrittenToCanBeRead) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  namespace fs = std::filesystem;
  ASSERT_TRUE(own_directory(path_).ok());
  ASSERT_EQ(chmod(outer_.path().c_str(), 0755), 0);
  for (const char* const name : {"/lock", "/readers"}) {
    fs::permissions(path_ + name, fs::perms(0444));
  }
  fs::permissions(path_, fs::perms(0555));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path_.c_str(), kOtherUser, kOtherUser), 0);
  }
  EXPECT_TRUE(holds_for_another_user([&] {
    const Result<std::unique_ptr<OwnedDirectory>> owner = own_directory(path_);
    return owner.ok() && (*owner)->reader().ok() && !(*owner)->has_earlier_readers();
  }));
  fs::permissions(path_, fs::perms(0755));
}

}  // namespace
}  // namespace forebay::cache
