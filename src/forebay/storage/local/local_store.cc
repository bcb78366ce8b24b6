#include "forebay/storage/local/local_store.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "forebay/base/random.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/local/local_list.h"
#include "forebay/storage/local/local_writer.h"
#include "forebay/storage/range.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kLargestCallBytes = uint64_t{1} << 30;

bool leaves_root(std::string_view key) {
  while (!key.empty()) {
    const size_t slash = std::min(key.find('/'), key.size());
    if (key.substr(0, slash) == "..") {
      return true;
    }
    key.remove_prefix(std::min(slash + 1, key.size()));
  }
  return false;
}

std::string cache_directory() {
  if (const char* const own = std::getenv("FOREBAY_CACHE_DIR"); own != nullptr && *own != '\0') {
    return own;
  }
  if (const char* const shared = std::getenv("XDG_CACHE_HOME"); shared != nullptr && *shared == '/') {
    return std::string(shared) + "/forebay";
  }
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/forebay" : std::string();
}

}  // namespace

/// A read under way: `filled` of `bytes` are there.
struct LocalStore::PendingRead {
  std::string uri;
  Descriptor descriptor;
  ReadBytes bytes;
  uint64_t offset = 0;
  uint64_t filled = 0;
  ReadCallback done;

  bool is_complete() const { return filled == bytes.size_bytes; }
  std::byte* destination() const { return bytes.buffer->mutable_bytes().data() + filled; }
  size_t next_bytes() const { return std::min(bytes.size_bytes - filled, kLargestCallBytes); }
  uint64_t next_offset() const { return offset + filled; }

  /// Takes what a system call returned; an error ends the read.
  Status take(ssize_t count, int error_number) {
    if (count < 0) {
      return errno_status(error_number, fmt::format("{} at {}", uri, next_offset()));
    }
    if (count == 0) {
      return out_of_range("{}: the file was cut while it was read; it ends at {}", uri, next_offset());
    }
    filled += static_cast<uint64_t>(count);
    return ok_status();
  }

  void finish(const Status& status) {
    if (!status.ok()) {
      done(status);
    } else {
      done(std::move(bytes));
    }
  }

  /// What the page cache has; stops where it would have to wait.
  Status read_resident() {
    while (!is_complete()) {
      const iovec range = {destination(), next_bytes()};
      const ssize_t count =
          ::preadv2(descriptor.get(), &range, 1, static_cast<off_t>(next_offset()), RWF_NOWAIT);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0 && (errno == EAGAIN || errno == EOPNOTSUPP || errno == ENOSYS)) {
        return ok_status();
      }
      FOREBAY_RETURN_IF_ERROR(take(count, errno));
    }
    return ok_status();
  }

  Status read_waiting() {
    while (!is_complete()) {
      const ssize_t count =
          ::pread(descriptor.get(), destination(), next_bytes(), static_cast<off_t>(next_offset()));
      if (count < 0 && errno == EINTR) {
        continue;
      }
      FOREBAY_RETURN_IF_ERROR(take(count, errno));
    }
    return ok_status();
  }
};

LocalStore::LocalStore(LocalStoreOptions options) : options_(std::move(options)) {
}

LocalStore::~LocalStore() = default;

std::shared_ptr<LocalStore> LocalStore::process_store() {
  static auto* const store = new std::shared_ptr<LocalStore>(std::make_shared<LocalStore>());
  return *store;
}

std::string LocalStore::uri_of(std::string_view key) const {
  return options_.root.empty() ? std::string(key) : join_path(options_.root, key);
}

Result<std::string> LocalStore::path_of(std::string_view key) const {
  if (key.empty() || key.find('\0') != std::string_view::npos) {
    return invalid_argument("'{}' is no path", key);
  }
  if (options_.root.empty()) {
    return std::string(key);
  }
  if (leaves_root(key)) {
    return invalid_argument("'{}' leaves {}", key, options_.root);
  }
  return options_.root + "/" + std::string(key);
}

Result<ObjectStat> LocalStore::stat_object(const std::string& key) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, path_of(key));
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno_status(errno, uri_of(key));
  }
  const bool is_directory = key.ends_with('/') && S_ISDIR(status.st_mode);
  if (!S_ISREG(status.st_mode) && !is_directory) {
    return not_found("{}: not a regular file", uri_of(key));
  }
  return object_stat_of(status, key);
}

void LocalStore::stat(std::string key, StatCallback done) {
  done(stat_object(key));
}

void LocalStore::list(ListRequest request, ListCallback done) {
  if (!request.delimiter.empty() && request.delimiter != "/") {
    done(invalid_argument("files are listed with the delimiter '/', not '{}'", request.delimiter));
    return;
  }
  if (!options_.root.empty() && leaves_root(request.prefix)) {
    done(invalid_argument("'{}' leaves {}", request.prefix, options_.root));
    return;
  }
  done(list_files(options_.root, request));
}

Result<std::unique_ptr<LocalStore::PendingRead>> LocalStore::start(const ReadRequest& request) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, path_of(request.key));
  auto read = std::make_unique<PendingRead>();
  read->uri = uri_of(request.key);
  FOREBAY_ASSIGN_OR_RETURN(OpenFile file, open_file(path, read->uri));
  if (!request.if_version.empty()) {
    const std::string version = object_stat_of(file.status, {}).version;
    if (version != request.if_version) {
      return version_changed(read->uri, request.if_version, version);
    }
  }
  const auto size_bytes = static_cast<uint64_t>(file.status.st_size);
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request, size_bytes, read->uri));
  FOREBAY_ASSIGN_OR_RETURN(read->bytes, allocate_read(request, length, read->uri));
  read->descriptor = std::move(file.descriptor);
  read->offset = request.offset_bytes;
  FOREBAY_RETURN_IF_ERROR(read->read_resident());
  return read;
}

void LocalStore::read(ReadRequest request, ReadCallback done) {
  Result<std::unique_ptr<PendingRead>> read = start(request);
  if (!read.ok()) {
    done(read.status());
    return;
  }
  (*read)->done = std::move(done);
  if ((*read)->is_complete()) {
    (*read)->finish(ok_status());
    return;
  }
  misses_.fetch_add(1, std::memory_order_relaxed);
  finish_later(*std::move(read), ring());
}

// Keeps nothing of the store, whose last owner may go in a callback while other reads are in flight.
void LocalStore::finish_later(std::unique_ptr<PendingRead> read, UringReader::Ring* ring) {
  PendingRead* const state = read.get();
  UringReader::Completion completion = [ring, read = std::move(read)](int32_t result) mutable {
    // A read is cancelled when the thread that started it ends; it was not this one.
    const bool again = result == -EINTR || result == -EAGAIN || result == -ECANCELED;
    const Status status = again ? ok_status() : read->take(result, -result);
    if (!status.ok() || read->is_complete()) {
      read->finish(status);
      return;
    }
    finish_later(std::move(read), ring);
  };
  if (ring != nullptr &&
      ring->submit(state->descriptor.get(), state->destination(), static_cast<uint32_t>(state->next_bytes()),
                   state->next_offset(), std::move(completion))) {
    return;
  }
  // Not accepted: `completion` still owns the read.
  state->finish(state->read_waiting());
}

UringReader::Ring* LocalStore::ring() {
  std::call_once(uring_once_, [this] {
    if (options_.use_io_uring) {
      uring_ = UringReader::create(options_.queue_depth);
    }
  });
  return uring_ ? uring_->ring().get() : nullptr;
}

std::optional<std::string> LocalStore::local_file(std::string_view key) const {
  Result<std::string> path = path_of(key);
  return path.ok() ? std::optional<std::string>(*std::move(path)) : std::nullopt;
}

Result<std::unique_ptr<ObjectWriter>> LocalStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::string path, path_of(key));
  return LocalWriter::create(std::move(path), std::move(key), std::move(options), options_.sync_writes);
}

void LocalStore::write(std::string key, Bytes content, WriteOptions options, StatCallback done) {
  Result<std::unique_ptr<ObjectWriter>> writer = open_writer(std::move(key), std::move(options));
  Status status = writer.status();
  if (status.ok()) {
    (*writer)->append(content, [&](Status appended) { status = std::move(appended); });
  }
  if (!status.ok()) {
    done(std::move(status));
    return;
  }
  (*writer)->commit(std::move(done));
}

void LocalStore::remove(std::string key, StatusCallback done) {
  const Result<std::string> path = path_of(key);
  if (!path.ok()) {
    done(path.status());
    return;
  }
  done(::unlink(path->c_str()) == 0 ? ok_status() : errno_status(errno, uri_of(key)));
}

void LocalStore::advise(const ReadPlan& plan) {
  const uint64_t misses = misses_.load(std::memory_order_relaxed);
  if (advised_misses_.exchange(misses, std::memory_order_relaxed) == misses) {
    return;  // nothing was missing since the last plan
  }
  for (const ReadPlan::Range& range : plan.ranges) {
    const Result<std::string> path = path_of(range.key);
    if (!path.ok()) {
      continue;
    }
    const Result<OpenFile> file = open_file(*path, *path);
    if (file.ok()) {
      const off_t length = range.length_bytes == kToEnd ? 0 : static_cast<off_t>(range.length_bytes);
      ::posix_fadvise(file->descriptor.get(), static_cast<off_t>(range.offset_bytes), length,
                      POSIX_FADV_WILLNEED);
    }
  }
}

Result<ObjectAddress> LocalStore::derived(std::string_view key, std::string_view version,
                                          std::string_view kind) {
  const std::string root = options_.derived_root.empty() ? cache_directory() : options_.derived_root;
  if (root.empty()) {
    return unimplemented("{}: no place for derived data; set FOREBAY_CACHE_DIR", uri_of(key));
  }
  const std::string name = uri_of(key) + "\n" + std::string(version);
  const uint64_t first = hash64(name);
  const uint64_t second = hash64(name + "\n" + fmt::format("{:x}", first));
  return ObjectAddress{process_store(),
                       fmt::format("{}/derived/{}/{:016x}{:016x}", root, kind, first, second)};
}

}  // namespace forebay::storage
