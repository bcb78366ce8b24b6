#include "forebay/cache/preload/preload_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fmt/format.h"
#include "forebay/cache/entry_key.h"
#include "forebay/storage/namespace/forebay_home.h"
#include "forebay/storage/namespace/whole_file.h"
#include "forebay/storage/uri.h"

namespace forebay::cache {
namespace {

std::string lock_of(const std::string& file) {
  return file + ".lock";
}

/// A lock of the whole file. It belongs to the process, so that another one can be told which that is.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// The process that holds the lock; 0 if none does.
Result<pid_t> holder_of(const FileDescriptor& lock, const std::string& path) {
  struct flock wanted = whole_file();
  if (::fcntl(lock.get(), F_GETLK, &wanted) != 0) {
    return errno_status(errno, path);
  }
  return wanted.l_type == F_UNLCK ? 0 : wanted.l_pid;
}

}  // namespace

std::string preload_file_of(const std::string& folder, const std::string& uri, const std::string& order) {
  const ObjectId id = object_id(uri, order);
  return fmt::format("{}/{:016x}{:016x}.json", folder, id.high, id.low);
}

Result<std::optional<PreloadRecord>> read_preload(const std::string& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() < 0) {
    return errno == ENOENT || errno == ENOTDIR ? Result<std::optional<PreloadRecord>>(std::nullopt)
                                               : errno_status(errno, file);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string text,
                           storage::read_whole(opened.get(), file, kMostPreloadRecordBytes));
  FOREBAY_ASSIGN_OR_RETURN(PreloadRecord record, parse_record(text, file));
  return std::optional<PreloadRecord>(std::move(record));
}

Result<pid_t> preload_worker(const std::string& file) {
  const std::string path = lock_of(file);
  const FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (lock.get() < 0) {
    return errno == ENOENT || errno == ENOTDIR ? Result<pid_t>(0) : errno_status(errno, path);
  }
  return holder_of(lock, path);
}

// The process is held by a descriptor before it is looked at again, so that no other is met that has got its
// number meanwhile.
Result<bool> stop_preload(const std::string& file) {
  FOREBAY_ASSIGN_OR_RETURN(const pid_t worker, preload_worker(file));
  if (worker == 0) {
    return false;
  }
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, worker, 0)));
  if (process.get() < 0) {
    return errno == ESRCH ? Result<bool>(false) : errno_status(errno, fmt::format("process {}", worker));
  }
  FOREBAY_ASSIGN_OR_RETURN(const pid_t still, preload_worker(file));
  if (still != worker) {
    return false;
  }
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0) != 0) {
    return errno == ESRCH ? Result<bool>(false) : errno_status(errno, fmt::format("process {}", worker));
  }
  return true;
}

Result<std::unique_ptr<PreloadFile>> PreloadFile::open(Options options) {
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(std::string(storage::parent_path(options.file))));
  const std::string path = lock_of(options.file);
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) {
    return errno_status(errno, path);
  }
  struct flock wanted = whole_file();
  if (::fcntl(lock.get(), F_SETLK, &wanted) != 0) {
    if (errno != EAGAIN && errno != EACCES) {
      return errno_status(errno, path);
    }
    FOREBAY_ASSIGN_OR_RETURN(const pid_t holder, holder_of(lock, path));
    return already_exists("it is being preloaded already, by process {}", holder);
  }
  return std::unique_ptr<PreloadFile>(new PreloadFile(std::move(options), std::move(lock)));
}

Status PreloadFile::save(const PreloadRecord& record) const {
  return storage::replace_file(options_.file, format_record(record), options_.at_point);
}

}  // namespace forebay::cache
