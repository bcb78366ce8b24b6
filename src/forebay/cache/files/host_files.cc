// The host's file system: plain pread, pwritev, fallocate and mmap.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "forebay/base/check.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/cache/files/file_system.h"
#include "forebay/cache/files/mapped_file.h"
#include "forebay/cache/files/owned_directory.h"
#include "forebay/cache/files/shared_ranges.h"

namespace forebay::cache {
namespace {

constexpr size_t kMaxParts = 8;

class HostMapping final : public Mapping {
 public:
  HostMapping(MappedFile mapped, uint64_t zeros_behind, const std::string& path, int file)
      : mapped_(std::move(mapped)), range_(shared_ranges().add(mapped_.bytes(), path, file, zeros_behind)) {}
  ~HostMapping() override { shared_ranges().remove(range_); }
  HostMapping(const HostMapping&) = delete;
  HostMapping& operator=(const HostMapping&) = delete;
  Bytes bytes() const override { return mapped_.bytes(); }

 private:
  const MappedFile mapped_;
  const uint64_t range_;  // of shared_ranges()
};

class HostFile final : public File {
 public:
  HostFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  Result<uint64_t> size_bytes() const override {
    struct stat stat;
    if (::fstat(descriptor_.get(), &stat) != 0) {
      return errno_status(errno, path_);
    }
    return static_cast<uint64_t>(stat.st_size);
  }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override;
  Result<std::vector<Extent>> data_extents() const override;
  Result<FileDescriptor> descriptor() const override;
  bool may_be_open_elsewhere() const override;
  Result<std::shared_ptr<const Mapping>> map(uint64_t length_bytes, uint64_t zeros_behind) const override;
  Status write(WritePoint point, uint64_t offset_bytes, std::span<const Bytes> parts) override;
  Status punch(WritePoint point, Extent extent) override;
  Status sync(WritePoint) override {
    return ::fsync(descriptor_.get()) == 0 ? ok_status() : errno_status(errno, path_);
  }

 private:
  const FileDescriptor descriptor_;
  const std::string path_;
};

Status HostFile::read(uint64_t offset_bytes, MutableBytes destination) const {
  while (!destination.empty()) {
    const ssize_t got =
        ::pread(descriptor_.get(), destination.data(), destination.size(), static_cast<off_t>(offset_bytes));
    if (got < 0 && errno != EINTR) {
      return errno_status(errno, path_);
    }
    if (got == 0) {
      return out_of_range("{}: ends at {}", path_, offset_bytes);
    }
    if (got > 0) {
      destination = destination.subspan(static_cast<size_t>(got));
      offset_bytes += static_cast<uint64_t>(got);
    }
  }
  return ok_status();
}

Result<std::vector<Extent>> HostFile::data_extents() const {
  std::vector<Extent> extents;
  off_t end = 0;
  while (true) {
    const off_t begin = ::lseek(descriptor_.get(), end, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) {
      return extents;
    }
    end = begin < 0 ? -1 : ::lseek(descriptor_.get(), begin, SEEK_HOLE);
    if (end < 0) {
      return errno_status(errno, path_);
    }
    extents.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(end)});
  }
}

Result<FileDescriptor> HostFile::descriptor() const {
  FileDescriptor copy(::fcntl(descriptor_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy.is_valid()) {
    return errno_status(errno, path_);
  }
  return copy;
}

// The kernel gives a lease for writing (fcntl(2)) to the only one who has a file open; that counts what is
// mapped, and what other file systems pass through to it. Whoever opens it just then waits until the lease is
// given back, of which the signal would tell.
bool HostFile::may_be_open_elsewhere() const {
  const int file = descriptor_.get();
  if (::fcntl(file, F_SETSIG, SIGURG) != 0 || ::fcntl(file, F_SETLEASE, F_WRLCK) != 0) {
    return true;
  }
  ::fcntl(file, F_SETLEASE, F_UNLCK);
  return false;
}

Result<std::shared_ptr<const Mapping>> HostFile::map(uint64_t length_bytes, uint64_t zeros_behind) const {
  FOREBAY_ASSIGN_OR_RETURN(MappedFile mapped,
                           MappedFile::map(descriptor_.get(), length_bytes, zeros_behind, path_));
  return std::make_shared<HostMapping>(std::move(mapped), zeros_behind, path_, descriptor_.get());
}

Status HostFile::write(WritePoint, uint64_t offset_bytes, std::span<const Bytes> parts) {
  FOREBAY_CHECK(parts.size() <= kMaxParts);
  std::array<iovec, kMaxParts> vectors;
  std::transform(parts.begin(), parts.end(), vectors.begin(), [](Bytes part) {
    return iovec{const_cast<std::byte*>(part.data()), part.size()};
  });
  std::span<iovec> left = std::span(vectors).first(parts.size());
  while (!left.empty()) {
    ssize_t done = ::pwritev(descriptor_.get(), left.data(), static_cast<int>(left.size()),
                             static_cast<off_t>(offset_bytes));
    if (done < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno_status(errno, path_);
    }
    offset_bytes += static_cast<uint64_t>(done);
    while (!left.empty() && static_cast<size_t>(done) >= left.front().iov_len) {
      done -= static_cast<ssize_t>(left.front().iov_len);
      left = left.subspan(1);
    }
    if (!left.empty()) {
      left.front().iov_base = static_cast<std::byte*>(left.front().iov_base) + done;
      left.front().iov_len -= static_cast<size_t>(done);
    }
  }
  return ok_status();
}

Status HostFile::punch(WritePoint, Extent extent) {
  const off_t length = static_cast<off_t>(extent.end_bytes - extent.begin_bytes);
  if (::fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(extent.begin_bytes), length) != 0) {
    return errno_status(errno, path_);
  }
  return ok_status();
}

class HostFiles final : public FileSystem {
 public:
  Status make_directory(const std::string& path) override;
  Result<std::unique_ptr<OwnedDirectory>> own(const std::string& path) override {
    return own_directory(path);
  }
  Result<std::vector<std::string>> list(const std::string& path) const override;
  Result<uint64_t> free_bytes(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path, bool for_writing) const override;
  Result<std::unique_ptr<File>> create(WritePoint point, const std::string& path,
                                       uint64_t size_bytes) override;
  Status remove(WritePoint point, const std::string& path) override;
  Status rename(WritePoint point, const std::string& from, const std::string& to) override;
  Status sync_directory(WritePoint point, const std::string& path) override;
};

Status HostFiles::make_directory(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!parent.empty()) {
    std::filesystem::create_directories(parent, error);
  }
  if (!error && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    error = std::error_code(errno, std::generic_category());
  }
  return error ? errno_status(error.value(), path) : ok_status();
}

Result<std::vector<std::string>> HostFiles::list(const std::string& path) const {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) {
    return errno_status(error.value(), path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<uint64_t> HostFiles::free_bytes(const std::string& path) const {
  struct statvfs stat;
  if (::statvfs(path.c_str(), &stat) != 0) {
    return errno_status(errno, path);
  }
  return static_cast<uint64_t>(stat.f_bavail) * stat.f_frsize;
}

Result<std::unique_ptr<File>> HostFiles::open(const std::string& path, bool for_writing) const {
  const int descriptor = ::open(path.c_str(), (for_writing ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) {
    return errno_status(errno, path);
  }
  return std::make_unique<HostFile>(descriptor, path);
}

Result<std::unique_ptr<File>> HostFiles::create(WritePoint, const std::string& path, uint64_t size_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) {
    return errno_status(errno, path);
  }
  auto file = std::make_unique<HostFile>(descriptor, path);
  if (::ftruncate(descriptor, static_cast<off_t>(size_bytes)) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return errno_status(error, path);
  }
  return file;
}

Status HostFiles::remove(WritePoint, const std::string& path) {
  return ::unlink(path.c_str()) == 0 ? ok_status() : errno_status(errno, path);
}

Status HostFiles::rename(WritePoint, const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? ok_status() : errno_status(errno, from);
}

Status HostFiles::sync_directory(WritePoint, const std::string& path) {
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_valid() || ::fsync(folder.get()) != 0) {
    return errno_status(errno, path);
  }
  return ok_status();
}

}  // namespace

std::string_view name_of(WritePoint point) {
  static constexpr std::string_view kNames[kWritePoints] = {
      "create segment",    "write entry",       "write footer",        "remove segment",
      "punch entry",       "create object",     "create records",      "mark as handed out",
      "write chunk",       "write record",      "clear record",        "punch chunk",
      "remove records",    "remove object",     "create journal file", "write journal file",
      "sync journal file", "name journal file", "sync journal folder", "remove journal file"};
  return kNames[static_cast<int>(point)];
}

std::shared_ptr<FileSystem> host_files() {
  // Never destroyed, because threads may outlive the process's statics.
  static const auto* const files = new std::shared_ptr<FileSystem>(std::make_shared<HostFiles>());
  return *files;
}

}  // namespace forebay::cache
