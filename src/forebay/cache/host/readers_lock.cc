#include "forebay/cache/host/readers_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "forebay/base/system_error.h"

namespace forebay::cache {
namespace {

constexpr int kTries = 20;
constexpr auto kBetweenTries = std::chrono::milliseconds(50);

std::string lock_file(const std::string& directory) {
  return directory + "/readers";
}

/// Invalid where there is none and none can be made: in a directory that cannot be written to, no byte goes
/// away under its readers.
Result<FileDescriptor> open_lock(const std::string& directory) {
  const std::string path = lock_file(directory);
  FileDescriptor opened(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const bool is_read_only = !opened.is_valid() && (errno == EROFS || errno == EACCES || errno == EPERM);
  if (is_read_only) {
    opened = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (!opened.is_valid() && !(is_read_only && errno == ENOENT)) {
    return errno_status(errno, path);
  }
  return opened;
}

/// All but the lock of readers. Files that are mapped live on without a name.
Status empty(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path() != lock_file(directory)) {
      std::filesystem::remove_all(entry.path(), error);
    }
  }
  return error ? errno_status(error.value(), directory) : ok_status();
}

}  // namespace

Result<bool> empty_if_still_read(const std::string& directory) {
  if (!std::filesystem::exists(directory)) {
    return false;
  }
  FOREBAY_ASSIGN_OR_RETURN(const FileDescriptor lock, open_lock(directory));
  for (int i = 0; i < kTries; ++i) {
    if (!lock.is_valid() || flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
      return false;
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
  FOREBAY_RETURN_IF_ERROR(empty(directory));
  return true;
}

// The descriptor's lock is that of all its copies, so it lives as long as the last process that was given
// one.
Result<FileDescriptor> lock_for_reader(const std::string& directory) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor lock, open_lock(directory));
  if (lock.is_valid() && flock(lock.get(), LOCK_SH | LOCK_NB) != 0) {
    return errno_status(errno, lock_file(directory));
  }
  return lock;
}

}  // namespace forebay::cache
