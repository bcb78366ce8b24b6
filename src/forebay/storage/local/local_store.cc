#include "forebay/storage/local/local_store.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "forebay/base/sync/run_parallel.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/local/derived_place.h"
#include "forebay/storage/local/disk.h"
#include "forebay/storage/local/file_version.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/local/local_list.h"
#include "forebay/storage/local/local_writer.h"
#include "forebay/storage/local/rename_file.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kStatsAtOnce = 1 << 14;

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

Result<std::string> path_below(const std::string& root, std::string_view key) {
  if (key.empty() || key.find('\0') != std::string_view::npos) {
    return invalid_argument("'{}' is not a path", key);
  }
  if (root.empty()) {
    return std::string(key);
  }
  if (leaves_root(key)) {
    return invalid_argument("'{}' leaves {}", key, root);
  }
  return root + "/" + std::string(key);
}

}  // namespace

LocalStore::LocalStore(LocalStoreOptions options)
    : options_(std::move(options)), readahead_([root = options_.root](std::string_view key) {
        const Result<std::string> path = path_below(root, key);
        return path.ok() ? std::optional<std::string>(*path) : std::nullopt;
      }) {
}

LocalStore::~LocalStore() = default;

std::shared_ptr<LocalStore> LocalStore::process_store() {
  static auto* const store =
      new std::shared_ptr<LocalStore>(std::make_shared<LocalStore>(LocalStoreOptions{.sync_writes = true}));
  return *store;
}

std::string LocalStore::uri_of(std::string_view key) const {
  return options_.root.empty() ? std::string(key) : join_path(options_.root, key);
}

StoreFeatures LocalStore::features() const {
  return {.has_directories = true, .can_rename = true, .can_copy = true};
}

Result<std::string> LocalStore::path_of(std::string_view key) const {
  return path_below(options_.root, key);
}

Result<ObjectStat> LocalStore::stat_object(const std::string& key) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, path_of(key));
  FileStatus status;
  if (look_at(path.c_str(), &status) != 0) {
    return path_error(errno, path, uri_of(key));
  }
  const bool is_directory = key.ends_with('/') && S_ISDIR(status.st_mode);
  if (!S_ISREG(status.st_mode) && !is_directory) {
    return not_found("{}: not a regular file", uri_of(key));
  }
  return object_stat_of(status, key);
}

void LocalStore::stat(std::string key, const CallContext& context, StatCallback done) {
  done(stat_wanted(key, context));
}

Result<ObjectStat> LocalStore::stat_wanted(const std::string& key, const CallContext& context) const {
  return is_wanted(context) ? stat_object(key) : not_wanted(context, uri_of(key));
}

// A stat may block on a disk or a file server, so many are made in parallel.
void LocalStore::stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) {
  std::vector<Result<ObjectStat>> stats;
  for (size_t first = 0; first < keys.size(); first += kStatsAtOnce) {
    const size_t count = std::min(kStatsAtOnce, keys.size() - first);
    stats.assign(count, unavailable("not asked"));
    run_parallel(count, [&](size_t i) { stats[i] = stat_wanted(keys[first + i], context); });
    for (size_t i = 0; i < count; ++i) {
      each(first + i, std::move(stats[i]));
    }
  }
}

std::unique_ptr<ListStream> LocalStore::open_list(ListRequest request) {
  return std::make_unique<LocalList>(options_.root, std::move(request));
}

Result<std::unique_ptr<LocalRead>> LocalStore::start(const ReadRequest& request,
                                                     const CallContext& context) const {
  std::string uri = uri_of(request.key);
  if (!is_wanted(context)) {
    return not_wanted(context, uri);
  }
  if (request.only_resident) {
    return unimplemented("{}: files cannot be leased", uri);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, path_of(request.key));
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<LocalRead> read, LocalRead::open(path, std::move(uri), request));
  FOREBAY_RETURN_IF_ERROR(read->read_resident());
  return read;
}

void LocalStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  Result<std::unique_ptr<LocalRead>> read = start(request, context);
  if (!read.ok()) {
    done(read.status());
    return;
  }
  (*read)->set_done(std::move(done));
  if ((*read)->is_complete()) {
    (*read)->finish(ok_status());
    return;
  }
  readahead_.note_miss();
  LocalRead::finish_later(*std::move(read), context, ring());
}

std::shared_ptr<UringReader::Ring> LocalStore::ring() {
  std::call_once(uring_once_, [this] {
    if (options_.use_io_uring) {
      uring_ = UringReader::create(options_.queue_depth);
    }
  });
  return uring_ ? uring_->ring() : nullptr;
}

std::optional<std::string> LocalStore::local_file(std::string_view key) const {
  Result<std::string> path = path_of(key);
  return path.ok() ? std::optional<std::string>(*std::move(path)) : std::nullopt;
}

Status LocalStore::check_write(std::string_view key, bool) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, path_of(key));
  const std::string folder(parent_path(path));
  const bool may_write = folder.empty() ||
                         ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ||
                         errno == ENOENT;
  return may_write ? ok_status() : errno_status(errno, path);
}

Result<std::unique_ptr<ObjectWriter>> LocalStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::string path, path_of(key));
  return LocalWriter::create(std::move(path), std::move(key), std::move(options), options_.sync_writes);
}

void LocalStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                       StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(key)));
    return;
  }
  Result<std::unique_ptr<ObjectWriter>> writer = open_writer(std::move(key), std::move(options));
  Status status = writer.status();
  if (status.ok()) {
    (*writer)->append(content, context, [&](Status appended) { status = std::move(appended); });
  }
  if (!status.ok()) {
    done(std::move(status));
    return;
  }
  (*writer)->commit(context, std::move(done));
}

void LocalStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  done(is_wanted(context) ? remove_file(key) : not_wanted(context, uri_of(key)));
}

Status LocalStore::remove_file(const std::string& key) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, path_of(key));
  const int error = key.ends_with('/') ? ::rmdir(path.c_str()) : ::unlink(path.c_str());
  return error == 0 ? ok_status() : errno_status(errno, uri_of(key));
}

void LocalStore::rename(MoveRequest request, const CallContext& context, StatCallback done) {
  done(is_wanted(context) ? rename_file(request) : not_wanted(context, uri_of(request.from)));
}

Result<ObjectStat> LocalStore::rename_file(const MoveRequest& request) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string from, path_of(request.from));
  FOREBAY_ASSIGN_OR_RETURN(const std::string to, path_of(request.to));
  FOREBAY_ASSIGN_OR_RETURN(const ObjectStat stat, stat_object(request.from));
  if (!request.if_version.empty() && !is_same_version(request.if_version, stat.version)) {
    return version_changed(uri_of(request.from), request.if_version, stat.version);
  }
  FOREBAY_RETURN_IF_ERROR(make_directories(std::string(parent_path(without_slash(to)))));
  if ((request.if_absent ? rename_to_free_name(from, to) : ::rename(from.c_str(), to.c_str())) != 0) {
    return errno == EXDEV ? unimplemented("{}: a rename moves nothing to another disk, where {} lies",
                                          uri_of(request.from), uri_of(request.to))
                          : errno_status(errno, errno == EEXIST ? uri_of(request.to) : uri_of(request.from));
  }
  if (options_.sync_writes) {
    FOREBAY_RETURN_IF_ERROR(host_disk().sync_folder(std::string(parent_path(without_slash(to)))));
  }
  return stat_object(request.to);
}

void LocalStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  done(is_wanted(context) ? copy_file(request, context) : not_wanted(context, uri_of(request.from)));
}

Result<ObjectStat> LocalStore::copy_file(const MoveRequest& request, const CallContext& context) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string from, path_of(request.from));
  FOREBAY_ASSIGN_OR_RETURN(std::string to, path_of(request.to));
  FOREBAY_ASSIGN_OR_RETURN(const OpenFile file, open_file(from, uri_of(request.from)));
  FOREBAY_RETURN_IF_ERROR(check_content(request.if_version, file_version(file.status), uri_of(request.from)));
  FOREBAY_ASSIGN_OR_RETURN(
      const std::unique_ptr<LocalWriter> writer,
      LocalWriter::create(std::move(to), request.to, {.if_absent = request.if_absent}, options_.sync_writes,
                          host_disk(), file.status.st_mode & 0777));
  FOREBAY_RETURN_IF_ERROR(writer->append_file(file, context));
  FOREBAY_RETURN_IF_ERROR(check_unchanged(file.descriptor.get(), file.status, uri_of(request.from)));
  return writer->commit_file();
}

void LocalStore::make_directory(std::string key, const CallContext& context, StatusCallback done) {
  const Result<std::string> path = path_of(key);
  if (!is_wanted(context) || !path.ok()) {
    done(path.ok() ? not_wanted(context, uri_of(key)) : path.status());
    return;
  }
  done(make_directories(without_slash(*path)));
}

void LocalStore::advise(std::shared_ptr<ReadPlan> plan) {
  readahead_.follow(std::move(plan));
}

Result<ObjectAddress> LocalStore::derived(std::string_view key, std::string_view version,
                                          std::string_view kind) {
  return derived_place(options_.derived_root, absolute(uri_of(key)), version, kind);
}

}  // namespace forebay::storage
