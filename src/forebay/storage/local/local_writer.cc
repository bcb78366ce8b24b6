#include "forebay/storage/local/local_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "forebay/storage/errors.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 20;

/// Random names, because process numbers may repeat on another host or after a restart.
Result<std::string> temporary_name(const std::string& path) {
  uint64_t words[2];
  if (::getentropy(words, sizeof(words)) != 0) {
    return errno_status(errno, path);
  }
  return join_path(parent_path(path), fmt::format("{}{:016x}{:016x}", kTemporaryPrefix, words[0], words[1]));
}

Status sync_directory(const std::string& path) {
  const std::string parent(parent_path(path));
  const FileDescriptor directory(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) {
    return errno_status(errno, path);
  }
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<LocalWriter>> LocalWriter::create(std::string path, std::string key,
                                                         WriteOptions options, bool sync) {
  if (base_name(path).empty()) {
    return invalid_argument("{}: a file needs a name", path);
  }
  std::unique_ptr<LocalWriter> writer(new LocalWriter());
  FOREBAY_ASSIGN_OR_RETURN(writer->temporary_, temporary_name(path));
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int descriptor = ::open(writer->temporary_.c_str(), flags, 0666);
  if (descriptor < 0 && errno == ENOENT) {
    FOREBAY_RETURN_IF_ERROR(make_directories(std::string(parent_path(path))));
    descriptor = ::open(writer->temporary_.c_str(), flags, 0666);
  }
  if (descriptor < 0) {
    writer->temporary_.clear();
    return errno_status(errno, path);
  }
  writer->descriptor_ = FileDescriptor(descriptor);
  writer->path_ = std::move(path);
  writer->key_ = std::move(key);
  writer->options_ = std::move(options);
  writer->sync_ = sync;
  return writer;
}

LocalWriter::~LocalWriter() {
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

void LocalWriter::append(Bytes part, const CallContext& context, StatusCallback done) {
  done(is_wanted(context) ? write_all(descriptor_.get(), part, path_) : not_wanted(context, path_));
}

Status LocalWriter::append_file(const OpenFile& file, const CallContext& context) {
  while (is_wanted(context)) {
    const ssize_t copied =
        ::copy_file_range(file.descriptor.get(), nullptr, descriptor_.get(), nullptr, kCopyBytes, 0);
    if (copied == 0) {
      return ok_status();
    }
    if (copied < 0 && errno != EINTR) {
      break;  // not supported between these file systems
    }
  }
  std::vector<std::byte> chunk(is_wanted(context) ? kCopyBytes : 0);
  while (is_wanted(context)) {
    const ssize_t count = ::read(file.descriptor.get(), chunk.data(), chunk.size());
    if (count == 0) {
      return ok_status();
    }
    if (count < 0 && errno != EINTR) {
      return errno_status(errno, path_);
    }
    if (count > 0) {
      const Bytes part = Bytes(chunk).first(static_cast<size_t>(count));
      FOREBAY_RETURN_IF_ERROR(write_all(descriptor_.get(), part, path_));
    }
  }
  return not_wanted(context, path_);
}

Status LocalWriter::check_version() const {
  if (options_.if_version.empty()) {
    return ok_status();
  }
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    return errno_status(errno, path_);
  }
  const std::string version = object_stat_of(status, {}).version;
  return version == options_.if_version ? ok_status() : version_changed(path_, options_.if_version, version);
}

Status LocalWriter::move_into_place() {
  if (options_.if_absent) {
    if (::link(temporary_.c_str(), path_.c_str()) != 0) {
      return errno_status(errno, path_);
    }
    ::unlink(temporary_.c_str());  // now, because the file's version changes with its number of links
    temporary_.clear();
    return ok_status();
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return errno_status(errno, path_);
  }
  temporary_.clear();
  return ok_status();
}

Result<ObjectStat> LocalWriter::commit_file() {
  if (descriptor_.get() < 0 || temporary_.empty()) {
    return failed_precondition("{}: the writer has committed", path_);
  }
  if (sync_ && ::fsync(descriptor_.get()) != 0) {
    return errno_status(errno, path_);
  }
  FOREBAY_RETURN_IF_ERROR(check_version());
  FOREBAY_RETURN_IF_ERROR(move_into_place());
  if (sync_) {
    FOREBAY_RETURN_IF_ERROR(sync_directory(path_));
  }
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) {
    return errno_status(errno, path_);
  }
  descriptor_ = FileDescriptor();
  return object_stat_of(status, key_);
}

void LocalWriter::commit(const CallContext& context, StatCallback done) {
  done(is_wanted(context) ? commit_file() : not_wanted(context, path_));
}

}  // namespace forebay::storage
