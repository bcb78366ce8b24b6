#include "forebay/cache/files/owned_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "forebay/base/file_descriptor.h"

namespace forebay::cache {
namespace {

constexpr std::string_view kOwnerMark = "pid ";
constexpr const char* kFolders[] = {"segments", "objects"};

/// The next generation: any but 0.
off_t new_generation() {
  std::random_device device;
  return static_cast<off_t>((uint64_t{device()} << 30 | device()) & ((uint64_t{1} << 62) - 1)) | 1;
}

bool cannot_be_changed(int error) {
  return error == EROFS || error == EACCES || error == EPERM;
}

/// What others may write to may have been changed by them.
Result<FileDescriptor> open_own_directory(const std::string& path) {
  FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!directory.is_valid() || ::fstat(directory.get(), &status) != 0) {
    return errno_status(errno, path);
  }
  if (status.st_uid != ::geteuid()) {
    return permission_denied(
        "{}: it belongs to user {}, not to this one; chown it, or name another directory", path,
        status.st_uid);
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    return permission_denied("{}: every user may write to it; chmod o-w it, or name another directory", path);
  }
  return directory;
}

/// A file of the directory, made if it can be; invalid in a directory in which it is not and cannot be made.
Result<FileDescriptor> open_file(const FileDescriptor& directory, const std::string& path, const char* name) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  FileDescriptor file(::openat(directory.get(), name, O_RDWR | O_CREAT | kFlags, 0600));
  if (!file.is_valid() && (cannot_be_changed(errno) || errno == ENOSPC || errno == EDQUOT)) {
    const int why = errno;
    file = FileDescriptor(::openat(directory.get(), name, O_RDONLY | kFlags));
    if (!file.is_valid() && cannot_be_changed(why) && errno == ENOENT) {
      return file;
    }
    errno = file.is_valid() ? errno : why;
  }
  struct stat status {};
  if (!file.is_valid() || ::fstat(file.get(), &status) != 0) {
    return errno_status(errno, path + "/" + name);
  }
  if (!S_ISREG(status.st_mode)) {
    return permission_denied("{}/{} is not a plain file; name another directory for the cache", path, name);
  }
  return file;
}

std::string content_of(const FileDescriptor& file) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

/// Whether there is something in a folder of the directory.
bool holds_files(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error);
}

/// A directory that no cache has had yet holds nothing that a cache would take for its own.
Status check_is_new(const std::string& path, const std::string& lock_content) {
  if (!lock_content.empty()) {
    return permission_denied("{}/lock: no cache has made this file; name another directory for the cache",
                             path);
  }
  for (const char* const folder : kFolders) {
    if (holds_files(path + "/" + folder)) {
      return permission_denied("{}/{}: no cache has made what is in it; name another directory for the cache",
                               path, folder);
    }
  }
  return ok_status();
}

Result<FileDescriptor> lock_directory(const FileDescriptor& directory, const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor file, open_file(directory, path, "lock"));
  if (!file.is_valid()) {
    return file;
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return errno_status(errno, path + "/lock");
    }
    const std::string owner = content_of(file);
    return failed_precondition(
        "{}: another process ({}) has this cache directory; use it through that process, or name another "
        "directory",
        path,
        owner.starts_with(kOwnerMark) ? owner.substr(0, owner.find_first_of(" \n", kOwnerMark.size()))
                                      : "unknown");
  }
  const std::string before = content_of(file);
  const bool is_marked = before.starts_with(kOwnerMark);
  if (const Status usable = is_marked ? ok_status() : check_is_new(path, before); !usable.ok()) {
    if (before.empty()) {
      ::unlinkat(directory.get(), "lock", 0);  // made here
    }
    return usable;
  }
  const std::string owner = fmt::format("{}{:<10}\n", kOwnerMark, ::getpid());  // over any earlier one
  const bool is_written =
      ::pwrite(file.get(), owner.data(), owner.size(), 0) == static_cast<ssize_t>(owner.size());
  // A full disk must not keep a cache from being read.
  if (!is_written && !is_marked) {
    return errno_status(errno, path + "/lock");
  }
  if (!is_marked && (::fsync(file.get()) != 0 || ::fsync(directory.get()) != 0)) {
    return errno_status(errno, path + "/lock");  // after a loss of power nobody would know whose it is
  }
  return file;
}

struct flock byte_lock(short kind, off_t begin, off_t bytes) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = begin;
  lock.l_len = bytes;
  return lock;
}

/// Invalid in a directory that cannot be changed: there no byte goes away under its readers.
Result<FileDescriptor> begin_generation(const FileDescriptor& directory, const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor file, open_file(directory, path, "readers"));
  struct flock lock = byte_lock(F_RDLCK, new_generation(), 1);
  if (file.is_valid() && ::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
    return errno_status(errno, path + "/readers");
  }
  return file;
}

class HostDirectory final : public OwnedDirectory {
 public:
  HostDirectory(FileDescriptor lock, FileDescriptor readers, std::string path)
      : lock_(std::move(lock)), readers_(std::move(readers)), path_(std::move(path)) {}

  Result<FileDescriptor> reader() const override {
    if (!readers_.is_valid()) {
      return FileDescriptor();
    }
    FileDescriptor copy(::fcntl(readers_.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy.is_valid()) {
      return errno_status(errno, path_ + "/readers");
    }
    return copy;
  }

  // Locks of the same descriptor do not conflict with a lock of all bytes; those of earlier ones do.
  bool has_earlier_readers() const override {
    if (!readers_.is_valid() || are_gone_.load(std::memory_order_relaxed)) {
      return false;
    }
    struct flock all = byte_lock(F_WRLCK, 0, 0);
    const bool are_gone = ::fcntl(readers_.get(), F_OFD_GETLK, &all) == 0 && all.l_type == F_UNLCK;
    are_gone_.store(are_gone, std::memory_order_relaxed);
    return !are_gone;
  }

 private:
  const FileDescriptor lock_;
  const FileDescriptor readers_;
  const std::string path_;
  mutable std::atomic<bool> are_gone_{false};
};

}  // namespace

Result<std::unique_ptr<OwnedDirectory>> own_directory(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const FileDescriptor directory, open_own_directory(path));
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor lock, lock_directory(directory, path));
  if (!lock.is_valid()) {
    return errno_status(ENOENT, path + "/lock");
  }
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor readers, begin_generation(directory, path));
  return std::make_unique<HostDirectory>(std::move(lock), std::move(readers), path);
}

}  // namespace forebay::cache
