#include "forebay/cache/preload/preload_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/entries/entry_key.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/home/whole_file.h"
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

/// The size by which a process is asked that cannot be seen.
constexpr off_t kWhoeverItIs = off_t{1} << 40;

/// The process that holds the lock; 0 if none does.
Result<pid_t> holder_of(const FileDescriptor& lock, const std::string& path) {
  struct flock wanted = whole_file();
  if (::fcntl(lock.get(), F_GETLK, &wanted) != 0) {
    return errno_status(errno, path);
  }
  if (wanted.l_type == F_UNLCK) {
    return 0;
  }
  return wanted.l_pid > 0 ? wanted.l_pid : kUnseenProcess;
}

/// The file's lock, with nobody asking for the end of what is to begin.
Result<FileDescriptor> locked(const std::string& file) {
  const std::string path = lock_of(file);
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) {
    return errno_status(errno, path);
  }
  FOREBAY_ASSIGN_OR_RETURN(const pid_t before, holder_of(lock, path));
  if (before == 0 && ::ftruncate(lock.get(), 0) != 0) {  // what it says is for somebody who has gone
    return errno_status(errno, path);
  }
  struct flock wanted = whole_file();
  if (::fcntl(lock.get(), F_SETLK, &wanted) != 0) {
    if (errno != EAGAIN && errno != EACCES) {
      return errno_status(errno, path);
    }
    FOREBAY_ASSIGN_OR_RETURN(const pid_t holder, holder_of(lock, path));
    return holder == kUnseenProcess
               ? already_exists("it is being preloaded already, by a process of another container")
               : already_exists("it is being preloaded already, by process {}", holder);
  }
  return lock;
}

/// The records that this process works on. Its own locks do not keep its threads apart, it is not told of
/// them, and it loses them when it closes any descriptor of their file; so files are opened under this lock.
struct OwnWork {
  using Asked = std::shared_ptr<std::atomic<bool>>;

  Mutex mutex;
  std::map<std::pair<pid_t, std::string>, Asked> asked FOREBAY_GUARDED_BY(mutex);  // a child has none

  /// Null if this process is not at work on the file.
  Asked find(const std::string& file) FOREBAY_REQUIRES(mutex) {
    const auto found = asked.find({::getpid(), file});
    return found == asked.end() ? nullptr : found->second;
  }
};

OwnWork& own_work() {
  static OwnWork* const work = [] {
    auto* const made = new OwnWork;  // never destroyed, because threads use it at exit
    keep_usable_in_child(made->mutex.native());
    return made;
  }();
  return *work;
}

/// Another process that is at work on it; 0 if there is none.
Result<pid_t> other_worker(const std::string& file) {
  const std::string path = lock_of(file);
  const FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (lock.get() < 0) {
    return errno == ENOENT || errno == ENOTDIR ? Result<pid_t>(0) : errno_status(errno, path);
  }
  return holder_of(lock, path);
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
                           storage::read_whole(opened.get(), file, kMaxPreloadRecordBytes));
  FOREBAY_ASSIGN_OR_RETURN(PreloadRecord record, parse_record(text, file));
  return std::optional<PreloadRecord>(std::move(record));
}

Result<pid_t> preload_worker(const std::string& file) {
  OwnWork& own = own_work();
  const MutexLock lock(own.mutex);
  return own.find(file) != nullptr ? Result<pid_t>(::getpid()) : other_worker(file);
}

Result<bool> stop_preload(const std::string& file) {
  OwnWork& own = own_work();
  const MutexLock lock(own.mutex);
  if (const OwnWork::Asked asked = own.find(file)) {
    asked->store(true);
    return true;
  }
  FOREBAY_ASSIGN_OR_RETURN(const pid_t worker, other_worker(file));
  if (worker == 0) {
    return false;
  }
  const std::string path = lock_of(file);
  const FileDescriptor opened(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const off_t size = worker == kUnseenProcess ? kWhoeverItIs : worker;
  const bool is_asked = opened.is_valid() && ::ftruncate(opened.get(), size) == 0;
  return is_asked ? Result<bool>(true) : errno_status(errno, path);
}

Result<std::unique_ptr<PreloadFile>> PreloadFile::open(Options options) {
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(std::string(storage::parent_path(options.file))));
  OwnWork& own = own_work();
  const MutexLock lock(own.mutex);
  if (own.find(options.file) != nullptr) {
    return already_exists("it is being preloaded already, by this process");
  }
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor locked_file, locked(options.file));
  auto asked = std::make_shared<std::atomic<bool>>(false);
  own.asked.insert_or_assign({::getpid(), options.file}, asked);
  return std::unique_ptr<PreloadFile>(
      new PreloadFile(std::move(options), std::move(locked_file), std::move(asked)));
}

PreloadFile::~PreloadFile() {
  OwnWork& own = own_work();
  const MutexLock lock(own.mutex);
  lock_ = FileDescriptor();
  own.asked.erase({::getpid(), options_.file});
}

bool PreloadFile::is_asked_to_stop() const {
  struct stat status {};
  return is_asked_->load() || (::fstat(lock_.get(), &status) == 0 &&
                               (status.st_size == ::getpid() || status.st_size == kWhoeverItIs));
}

Status PreloadFile::save(const PreloadRecord& record) const {
  return storage::replace_file(options_.file, format_record(record), options_.at_point);
}

}  // namespace forebay::cache
