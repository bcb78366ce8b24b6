#include "forebay/storage/home/whole_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "absl/functional/function_ref.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {

Result<WriterLock> WriterLock::take(const std::string& file) {
  const std::string path = file + ".lock";
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) {
    return errno_status(errno, path);
  }
  while (::flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return errno_status(errno, path);
    }
  }
  return WriterLock(std::move(lock));
}

WriterLock::~WriterLock() {
  if (lock_.is_valid()) {
    ::flock(lock_.get(), LOCK_UN);
  }
}

namespace {

using Pass = absl::FunctionRef<void(std::string_view point)>;

Status write_and_move(const std::string& made, const std::string& file, std::string_view text, Pass pass,
                      Disk& disk) {
  {
    FOREBAY_ASSIGN_OR_RETURN(const FileDescriptor opened, disk.create(made, 0600));
    pass("created");
    FOREBAY_RETURN_IF_ERROR(disk.write(opened.get(), made, std::as_bytes(std::span(text))));
    pass("written");
    FOREBAY_RETURN_IF_ERROR(disk.sync(opened.get(), made));
  }
  pass("durable");
  FOREBAY_RETURN_IF_ERROR(disk.rename(made, file));
  pass("in place");
  return ok_status();
}

}  // namespace

Status replace_file(const std::string& file, std::string_view text, const AtPoint& at_point, Disk& disk) {
  const auto pass = [&](std::string_view point) {
    if (at_point) {
      at_point(point);
    }
  };
  const std::string made = file + ".new";
  if (const Status removed = disk.remove(made); !removed.ok() && removed.code() != StatusCode::kNotFound) {
    return removed;
  }
  if (const Status moved = write_and_move(made, file, text, pass, disk); !moved.ok()) {
    disk.remove(made).IgnoreError();
    return moved;
  }
  FOREBAY_RETURN_IF_ERROR(disk.sync_folder(std::string(parent_path(file))));
  pass("folder durable");
  return ok_status();
}

Result<std::string> read_whole(int descriptor, const std::string& path, size_t most_bytes) {
  std::string text;
  char chunk[16384];
  while (text.size() <= most_bytes) {
    const ssize_t count = ::read(descriptor, chunk, sizeof(chunk));
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return errno_status(errno, path);
    }
    text.append(chunk, count < 0 ? 0 : static_cast<size_t>(count));
  }
  return text;
}

}  // namespace forebay::storage
