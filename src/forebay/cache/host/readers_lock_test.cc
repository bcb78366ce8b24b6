#include "forebay/cache/host/readers_lock.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cache {
namespace {

constexpr uid_t kNobody = 65534;

/// Runs `holds` as a user that may not write to `directory`: the superuser may.
bool holds_without_writing(const TemporaryDirectory& outer, const std::string& directory,
                           const std::function<bool()>& holds) {
  namespace fs = std::filesystem;
  fs::permissions(outer.path(), fs::perms(0755));
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    fs::permissions(entry.path(), fs::perms(entry.is_directory() ? 0555 : 0444));
  }
  fs::permissions(directory, fs::perms(0555));
  const pid_t child = fork();
  if (child == 0) {
    const bool is_another = geteuid() != 0 || seteuid(kNobody) == 0;
    _exit(is_another && access(directory.c_str(), R_OK) == 0 && holds() ? 0 : 1);
  }
  int status = 0;
  wait_for_child(child, &status);
  fs::permissions(directory, fs::perms(0755));
  return status == 0;
}

TEST(ReadersLock, WhoHoldsItKeepsTheNextDaemonFromTheBytes) {
  const TemporaryDirectory outer;
  const std::string directory = outer / "cache";
  std::filesystem::create_directories(directory + "/objects");
  {
    const Result<FileDescriptor> held = lock_for_reader(directory);
    ASSERT_TRUE(held.ok() && held->is_valid());
    EXPECT_TRUE(*empty_if_still_read(directory));
    EXPECT_FALSE(std::filesystem::exists(directory + "/objects"));
  }
  EXPECT_FALSE(*empty_if_still_read(directory));
}

TEST(ReadersLock, ADirectoryThatCannotBeWrittenToNeedsNone) {
  const TemporaryDirectory outer;
  const std::string directory = outer / "cache";
  std::filesystem::create_directories(directory);
  EXPECT_TRUE(holds_without_writing(outer, directory, [&] {
    const Result<bool> emptied = empty_if_still_read(directory);
    const Result<FileDescriptor> lock = lock_for_reader(directory);
    return emptied.ok() && !*emptied && lock.ok() && !lock->is_valid();
  }));
}

TEST(ReadersLock, OneThatIsThereIsTakenForReading) {
  const TemporaryDirectory outer;
  const std::string directory = outer / "cache";
  std::filesystem::create_directories(directory);
  ASSERT_FALSE(*empty_if_still_read(directory));
  EXPECT_TRUE(holds_without_writing(outer, directory, [&] {
    const Result<FileDescriptor> lock = lock_for_reader(directory);
    return lock.ok() && lock->is_valid();
  }));
}

}  // namespace
}  // namespace forebay::cache
