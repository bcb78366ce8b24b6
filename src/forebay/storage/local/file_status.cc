#include "forebay/storage/local/file_status.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <cerrno>

namespace forebay::storage {
namespace {

timespec time_of(const struct statx_timestamp& time) {
  timespec converted{};
  converted.tv_sec = time.tv_sec;
  converted.tv_nsec = time.tv_nsec;
  return converted;
}

FileStatus status_of(const struct statx& found) {
  FileStatus status;
  status.st_dev = makedev(found.stx_dev_major, found.stx_dev_minor);
  status.st_rdev = makedev(found.stx_rdev_major, found.stx_rdev_minor);
  status.st_ino = found.stx_ino;
  status.st_mode = found.stx_mode;
  status.st_nlink = found.stx_nlink;
  status.st_uid = found.stx_uid;
  status.st_gid = found.stx_gid;
  status.st_size = static_cast<off_t>(found.stx_size);
  status.st_blksize = static_cast<blksize_t>(found.stx_blksize);
  status.st_blocks = static_cast<blkcnt_t>(found.stx_blocks);
  status.st_atim = time_of(found.stx_atime);
  status.st_mtim = time_of(found.stx_mtime);
  status.st_ctim = time_of(found.stx_ctime);
  status.born_ns = (found.stx_mask & STATX_BTIME) != 0 ? nanoseconds_of(time_of(found.stx_btime)) : 0;
  return status;
}

int look(int descriptor, const char* path, int flags, FileStatus* status) {
  struct statx found {};
  if (::statx(descriptor, path, flags, STATX_BASIC_STATS | STATX_BTIME, &found) == 0) {
    *status = status_of(found);
    return 0;
  }
  if (errno != ENOSYS && errno != EPERM) {
    return -1;
  }
  *status = FileStatus();  // an old kernel, or a sandbox that does not know the call
  return ::fstatat(descriptor, path, status, flags);
}

}  // namespace

int look_at(const char* path, FileStatus* status) {
  return look(AT_FDCWD, path, 0, status);
}

int look_at(int descriptor, FileStatus* status) {
  return look(descriptor, "", AT_EMPTY_PATH, status);
}

int64_t nanoseconds_of(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace forebay::storage
