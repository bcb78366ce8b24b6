#include "forebay/storage/namespace/mount_database.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "forebay/base/sync/fork.h"
#include "forebay/storage/namespace/forebay_home.h"
#include "forebay/storage/namespace/mount_file.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

Result<std::string> read_whole(int descriptor, const std::string& path) {
  std::string text;
  char chunk[16384];
  while (text.size() <= kMostMountFileBytes) {
    const ssize_t count = ::read(descriptor, chunk, sizeof(chunk));
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return errno_status(errno, path);
    }
    text.append(chunk, count < 0 ? 0 : static_cast<size_t>(count));
  }
  return text;  // parse_mounts() says that it is too long
}

}  // namespace

/// The lock beside the file. It is unlocked by name: a child that was forked meanwhile has the file open,
/// too, and would keep the lock. (The kernel drops it with the process, however that ends.)
class MountDatabase::FileLock {
 public:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  FileLock(FileLock&&) = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock() {
    if (file_.is_valid()) {
      ::flock(file_.get(), LOCK_UN);
    }
  }

 private:
  FileDescriptor file_;
};

MountDatabaseOptions process_mounts() {
  MountDatabaseOptions options;
  if (const char* const named = std::getenv("FOREBAY_MOUNTS"); named != nullptr && *named != '\0') {
    options.file = named;
    options.is_static = true;
    return options;
  }
  Result<std::string> home = forebay_home();
  if (!home.ok()) {
    options.why_no_file = home.status();
    return options;
  }
  const char* const chosen = std::getenv("FOREBAY_HOME");
  options.may_be_hidden = chosen == nullptr || *chosen == '\0';
  options.file = *std::move(home) + "/mounts.json";
  return options;
}

void MountDatabase::keep_usable_in_child() {
  forebay::keep_usable_in_child(mutex_.native());
}

void MountDatabase::at_point(std::string_view point) const {
  if (options_.at_point) {
    options_.at_point(point);
  }
}

Result<MountTableRef> MountDatabase::table() {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(load());
  return table_;
}

bool MountDatabase::is_known(const struct stat& status) const {
  return known_.get() >= 0 && status.st_dev == known_status_.st_dev &&
         status.st_ino == known_status_.st_ino && status.st_size == known_status_.st_size &&
         is_same_time(status.st_mtim, known_status_.st_mtim) &&
         is_same_time(status.st_ctim, known_status_.st_ctim);
}

Status MountDatabase::load() {
  struct stat status {};
  if (!options_.file.empty() && ::stat(options_.file.c_str(), &status) == 0) {
    return is_known(status) ? ok_status() : read_file();
  }
  const bool is_absent = options_.file.empty() || errno == ENOENT || errno == ENOTDIR ||
                         (options_.may_be_hidden && errno == EACCES);
  if (!is_absent || options_.is_static) {
    return annotate(errno_status(errno, options_.file), "the mount table cannot be read");
  }
  if (!table_ || known_.get() >= 0) {
    table_ = std::make_shared<const MountTable>();
    known_ = FileDescriptor();
  }
  return ok_status();
}

Status MountDatabase::read_file() {
  Result<OpenFile> file = open_file(options_.file, options_.file);
  if (!file.ok()) {
    return annotate(file.status(), "the mount table cannot be read");
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, read_whole(file->descriptor.get(), options_.file));
  FOREBAY_ASSIGN_OR_RETURN(MountTable table, parse_mounts(text, options_.file));
  table_ = std::make_shared<const MountTable>(std::move(table));
  known_ = std::move(file->descriptor);
  known_status_ = file->status;
  return ok_status();
}

Status MountDatabase::add(MountEntry entry) {
  FOREBAY_RETURN_IF_ERROR(check_entry(entry));
  return change([&](MountTable& table) { return table.add(std::move(entry)); });
}

Status MountDatabase::remove(const std::string& path) {
  return change([&](MountTable& table) { return table.remove(path); });
}

Status MountDatabase::change(const std::function<Status(MountTable&)>& how) {
  if (options_.file.empty()) {
    return options_.why_no_file.ok() ? failed_precondition("there is no mount table") : options_.why_no_file;
  }
  if (options_.is_static) {
    return failed_precondition("the mounts are those of the file {}, which FOREBAY_MOUNTS names; edit it",
                               options_.file);
  }
  FOREBAY_RETURN_IF_ERROR(make_private_folder(std::string(parent_path(options_.file))));
  FOREBAY_ASSIGN_OR_RETURN(const FileLock lock, lock_file());
  at_point("locked");
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef now, table());
  MountTable changed = *now;
  FOREBAY_RETURN_IF_ERROR(how(changed));
  return replace_file(format_mounts(changed));
}

// The file stays: to remove it would let two writers hold the lock of two files of one name.
Result<MountDatabase::FileLock> MountDatabase::lock_file() const {
  const std::string path = options_.file + ".lock";
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() < 0) {
    return errno_status(errno, path);
  }
  while (::flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return errno_status(errno, path);
    }
  }
  return FileLock(std::move(lock));
}

// Only the holder of the lock writes the new file, so what a killed writer left is overwritten.
Status MountDatabase::replace_file(const std::string& text) const {
  const std::string path = options_.file + ".new";
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.get() < 0) {
    return errno_status(errno, path);
  }
  at_point("created");
  FOREBAY_RETURN_IF_ERROR(write_all(file.get(), std::as_bytes(std::span(text)), path));
  at_point("written");
  if (::fsync(file.get()) != 0) {
    return errno_status(errno, path);
  }
  at_point("durable");
  if (::rename(path.c_str(), options_.file.c_str()) != 0) {
    return errno_status(errno, options_.file);
  }
  at_point("in place");
  FOREBAY_RETURN_IF_ERROR(sync_folder(std::string(parent_path(options_.file))));
  at_point("folder durable");
  return ok_status();
}

}  // namespace forebay::storage
