#include "forebay/storage/local/local_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "forebay/storage/errors.h"
#include "forebay/storage/local/file_version.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

Result<OpenFile> open_file(const std::string& path, std::string_view uri) {
  OpenFile file;
  file.descriptor = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.descriptor.get() < 0 || look_at(file.descriptor.get(), &file.status) != 0) {
    return path_error(errno, path, uri);
  }
  if (!S_ISREG(file.status.st_mode)) {
    return invalid_argument("{}: not a regular file", uri);
  }
  // It was for the other end of a pipe. Of a file, io_uring answers EAGAIN instead of waiting for its disk.
  if (::fcntl(file.descriptor.get(), F_SETFL, 0) != 0) {
    return errno_status(errno, uri);
  }
  return file;
}

bool is_broken_link(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) &&
         ::stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

Status path_error(int error_number, const std::string& path, std::string_view uri) {
  if (error_number == ENOENT && is_broken_link(path)) {
    return not_found("{}: a link to something that is not there", uri);
  }
  return errno_status(error_number, uri);
}

ObjectStat object_stat_of(const FileStatus& status, std::string key) {
  ObjectStat stat;
  stat.key = std::move(key);
  stat.size_bytes = S_ISDIR(status.st_mode) ? 0 : static_cast<uint64_t>(status.st_size);
  stat.modified_ns = nanoseconds_of(status.st_mtim);
  stat.version = file_version(status);
  return stat;
}

Status check_unchanged(int descriptor, const FileStatus& before, std::string_view uri) {
  FileStatus now;
  if (look_at(descriptor, &now) != 0) {
    return errno_status(errno, uri);
  }
  const bool is_same =
      now.st_size == before.st_size && nanoseconds_of(now.st_mtim) == nanoseconds_of(before.st_mtim);
  return is_same ? ok_status()
                 : version_changed(uri, object_stat_of(before, {}).version, object_stat_of(now, {}).version);
}

bool leaves_root(std::string_view key) {
  while (!key.empty()) {
    const size_t slash = std::min(key.find('/'), key.size());
    if (key.substr(0, slash) == "..") {
      return true;
    }
    key.remove_prefix(std::min(slash + 1, key.size()));
  }
  return false;
}

// Random names, because process numbers may repeat on another host or after a restart.
Result<std::string> temporary_name(const std::string& path) {
  uint64_t words[2];
  if (::getentropy(words, sizeof(words)) != 0) {
    return errno_status(errno, path);
  }
  return join_path(parent_path(path), fmt::format("{}{:016x}{:016x}", kTemporaryPrefix, words[0], words[1]));
}

Status write_all(int descriptor, Bytes content, std::string_view uri) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno_status(errno, uri);
    }
    content = content.subspan(static_cast<size_t>(written));
  }
  return ok_status();
}

Status make_directories(const std::string& path) {
  if (path.empty()) {
    return ok_status();  // above a name without a folder: the current directory
  }
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? errno_status(error.value(), path) : ok_status();
}

}  // namespace forebay::storage
