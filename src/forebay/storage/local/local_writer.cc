#include "forebay/storage/local/local_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "forebay/base/system_error.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/local/file_version.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 20;

/// The nearest folder above `path` that is there.
std::string folder_that_exists(const std::string& path) {
  std::string folder(parent_path(path));
  while (!folder.empty() && ::access(folder.c_str(), F_OK) != 0) {
    folder = parent_path(folder);
  }
  return folder;
}

}  // namespace

Result<std::unique_ptr<LocalWriter>> LocalWriter::create(std::string path, std::string key,
                                                         WriteOptions options, bool sync, Disk& disk,
                                                         mode_t mode) {
  if (base_name(path).empty()) {
    return invalid_argument("{}: a file needs a name", path);
  }
  std::unique_ptr<LocalWriter> writer(new LocalWriter(disk));
  FOREBAY_ASSIGN_OR_RETURN(const std::string temporary, temporary_name(path));
  writer->top_folder_ = parent_path(path);
  Result<FileDescriptor> made = disk.create(temporary, mode);
  if (made.status().code() == StatusCode::kNotFound) {
    writer->top_folder_ = folder_that_exists(path);
    FOREBAY_RETURN_IF_ERROR(make_directories(std::string(parent_path(path))));
    made = disk.create(temporary, mode);
  }
  if (!made.ok()) {
    return errno_status(errno_of(made.status()).value_or(EIO), path);
  }
  writer->temporary_ = temporary;
  writer->descriptor_ = *std::move(made);
  writer->path_ = std::move(path);
  writer->key_ = std::move(key);
  writer->options_ = std::move(options);
  writer->sync_ = sync;
  return writer;
}

LocalWriter::~LocalWriter() {
  if (!temporary_.empty()) {
    disk_.remove(temporary_).IgnoreError();
  }
}

void LocalWriter::append(Bytes part, const CallContext& context, StatusCallback done) {
  if (failure_.ok()) {
    failure_ = is_wanted(context) ? disk_.write(descriptor_.get(), path_, part) : not_wanted(context, path_);
  }
  done(failure_);
}

Status LocalWriter::append_file(const OpenFile& file, const CallContext& context) {
  if (failure_.ok()) {
    failure_ = copy_all(file, context);
  }
  return failure_;
}

Status LocalWriter::copy_all(const OpenFile& file, const CallContext& context) {
  while (is_wanted(context)) {
    const ssize_t copied =
        ::copy_file_range(file.descriptor.get(), nullptr, descriptor_.get(), nullptr, kCopyBytes, 0);
    if (copied == 0 && file.status.st_size > 0) {
      return ok_status();
    }
    if (copied == 0 || (copied < 0 && errno != EINTR)) {
      break;  // not supported between these file systems, or one of /proc, whose size says nothing
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
  FileStatus status;
  if (look_at(path_.c_str(), &status) != 0) {
    return errno_status(errno, path_);
  }
  const std::string version = object_stat_of(status, {}).version;
  return is_same_version(options_.if_version, version) ? ok_status()
                                                       : version_changed(path_, options_.if_version, version);
}

Status LocalWriter::move_into_place() {
  if (options_.if_absent) {
    FOREBAY_RETURN_IF_ERROR(disk_.link(temporary_, path_));
    disk_.remove(temporary_).IgnoreError();  // now, because the file's version changes with its links
  } else {
    FOREBAY_RETURN_IF_ERROR(disk_.rename(temporary_, path_));
  }
  temporary_.clear();
  return ok_status();
}

Status LocalWriter::sync_names() const {
  std::string folder(parent_path(path_));
  FOREBAY_RETURN_IF_ERROR(disk_.sync_folder(folder));
  while (folder != top_folder_ && !folder.empty()) {
    folder = parent_path(folder);
    FOREBAY_RETURN_IF_ERROR(disk_.sync_folder(folder));
  }
  return ok_status();
}

Result<ObjectStat> LocalWriter::commit_file() {
  if (descriptor_.get() < 0 || temporary_.empty()) {
    return failed_precondition("{}: the writer has committed", path_);
  }
  FOREBAY_RETURN_IF_ERROR(failure_);
  if (sync_) {
    FOREBAY_RETURN_IF_ERROR(disk_.sync(descriptor_.get(), path_));
  }
  FOREBAY_RETURN_IF_ERROR(check_version());
  FOREBAY_RETURN_IF_ERROR(move_into_place());
  if (sync_) {
    FOREBAY_RETURN_IF_ERROR(sync_names());
  }
  FileStatus status;
  if (look_at(descriptor_.get(), &status) != 0) {
    return errno_status(errno, path_);
  }
  descriptor_ = FileDescriptor();
  return object_stat_of(status, key_);
}

void LocalWriter::commit(const CallContext& context, StatCallback done) {
  done(is_wanted(context) ? commit_file() : not_wanted(context, path_));
}

}  // namespace forebay::storage
