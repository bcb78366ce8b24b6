#include "forebay/storage/local/disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "forebay/storage/local/local_file.h"

namespace forebay::storage {
namespace {

Status done_or_errno(bool is_done, const std::string& path) {
  return is_done ? ok_status() : errno_status(errno, path);
}

class HostDisk final : public Disk {
 public:
  Result<FileDescriptor> create(const std::string& path, mode_t mode) override {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file.is_valid()) {
      return errno_status(errno, path);
    }
    return file;
  }
  Status write(int file, const std::string& path, Bytes content) override {
    return write_all(file, content, path);
  }
  Status sync(int file, const std::string& path) override { return done_or_errno(::fsync(file) == 0, path); }
  Status rename(const std::string& from, const std::string& to) override {
    return done_or_errno(::rename(from.c_str(), to.c_str()) == 0, to);
  }
  Status link(const std::string& from, const std::string& to) override {
    return done_or_errno(::link(from.c_str(), to.c_str()) == 0, to);
  }
  Status remove(const std::string& path) override { return done_or_errno(::unlink(path.c_str()) == 0, path); }
  Status sync_folder(const std::string& folder) override {
    const FileDescriptor opened(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return done_or_errno(opened.is_valid() && ::fsync(opened.get()) == 0, folder);
  }
};

}  // namespace

Status sync_whole_disk(const std::string& path) {
  const FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return done_or_errno(opened.is_valid() && ::syncfs(opened.get()) == 0, path);
}

Disk& host_disk() {
  static HostDisk disk;
  return disk;
}

}  // namespace forebay::storage
