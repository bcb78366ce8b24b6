#include "forebay/cache/testing/faulty_files.h"

#include <algorithm>
#include <array>
#include <utility>

namespace forebay::cache {
namespace {

class FaultyFile final : public File {
 public:
  FaultyFile(std::unique_ptr<File> inner, std::shared_ptr<FaultyFiles> files, std::string path)
      : inner_(std::move(inner)), files_(std::move(files)), path_(std::move(path)) {}

  Result<uint64_t> size_bytes() const override { return inner_->size_bytes(); }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    FOREBAY_RETURN_IF_ERROR(files_->before_read());
    return inner_->read(offset_bytes, destination);
  }
  Result<std::vector<Extent>> data_extents() const override { return inner_->data_extents(); }
  Result<FileDescriptor> descriptor() const override { return inner_->descriptor(); }
  bool may_be_open_elsewhere() const override { return inner_->may_be_open_elsewhere(); }
  Result<std::shared_ptr<const Mapping>> map(uint64_t length_bytes, uint64_t zeros_behind) const override {
    return inner_->map(length_bytes, zeros_behind);
  }

  Status write(WritePoint point, uint64_t offset_bytes, std::span<const Bytes> parts) override {
    std::string bytes;
    for (const Bytes part : parts) {
      bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
    }
    const Bytes all = std::as_bytes(std::span(bytes));
    return files_->change(
        point,
        {.kind = FaultyFiles::Change::Kind::kWrite,
         .path = path_,
         .offset_bytes = offset_bytes,
         .bytes = bytes},
        [&] {
          const std::array<Bytes, 1> first = {all.first(all.size() / 2)};
          return inner_->write(point, offset_bytes, first);
        },
        [&] {
          const std::array<Bytes, 1> whole = {all};
          return inner_->write(point, offset_bytes, whole);
        });
  }
  Status punch(WritePoint point, Extent extent) override {
    const Extent half = {extent.begin_bytes, (extent.begin_bytes + extent.end_bytes) / 2};
    return files_->change(
        point,
        {.kind = FaultyFiles::Change::Kind::kPunch,
         .path = path_,
         .offset_bytes = extent.begin_bytes,
         .size_bytes = extent.end_bytes - extent.begin_bytes},
        [&] { return half.begin_bytes < half.end_bytes ? inner_->punch(point, half) : ok_status(); },
        [&] { return inner_->punch(point, extent); });
  }
  Status sync(WritePoint point) override {
    return files_->change(
        point, {.kind = FaultyFiles::Change::Kind::kSync, .path = path_}, [] { return ok_status(); },
        [&] { return inner_->sync(point); });
  }

 private:
  const std::unique_ptr<File> inner_;
  const std::shared_ptr<FaultyFiles> files_;
  const std::string path_;
};

}  // namespace

void FaultyFiles::set_hook(Hook hook) {
  const MutexLock lock(mutex_);
  hook_ = std::move(hook);
}

void FaultyFiles::set_read_hook(std::function<Status()> hook) {
  const MutexLock lock(mutex_);
  read_hook_ = std::move(hook);
}

void FaultyFiles::fail_reads(Status error) {
  set_read_hook([error = std::move(error)] { return error; });
}

void FaultyFiles::refuse_writing(Status error) {
  const MutexLock lock(mutex_);
  writing_error_ = std::move(error);
}

void FaultyFiles::set_free_bytes(uint64_t bytes) {
  const MutexLock lock(mutex_);
  free_bytes_ = bytes;
}

Result<uint64_t> FaultyFiles::free_bytes(const std::string& path) const {
  const MutexLock lock(mutex_);
  return free_bytes_ ? Result<uint64_t>(*free_bytes_) : host_->free_bytes(path);
}

void FaultyFiles::keep_changes() {
  const MutexLock lock(mutex_);
  keeps_changes_ = true;
}

std::vector<FaultyFiles::Change> FaultyFiles::changes() const {
  const MutexLock lock(mutex_);
  return changes_;
}

Status FaultyFiles::before_read() const {
  std::function<Status()> hook;
  {
    const MutexLock lock(mutex_);
    hook = read_hook_;
  }
  return hook();
}

Status FaultyFiles::change(WritePoint point, Change change, const std::function<Status()>& half,
                           const std::function<Status()>& whole) {
  Hook hook;
  {
    const MutexLock lock(mutex_);
    hook = hook_;
    if (keeps_changes_) {
      changes_.push_back(std::move(change));
    }
  }
  if (!hook) {
    return whole();
  }
  FOREBAY_RETURN_IF_ERROR(hook(point, ChangePhase::kBefore));
  FOREBAY_RETURN_IF_ERROR(half());
  FOREBAY_RETURN_IF_ERROR(hook(point, ChangePhase::kHalf));
  FOREBAY_RETURN_IF_ERROR(whole());
  return hook(point, ChangePhase::kAfter);
}

Result<std::unique_ptr<File>> FaultyFiles::open(const std::string& path, bool for_writing) const {
  if (for_writing) {
    const MutexLock lock(mutex_);
    FOREBAY_RETURN_IF_ERROR(writing_error_);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<File> file, host_->open(path, for_writing));
  return std::make_unique<FaultyFile>(std::move(file),
                                      std::const_pointer_cast<FaultyFiles>(shared_from_this()), path);
}

Result<std::unique_ptr<File>> FaultyFiles::create(WritePoint point, const std::string& path,
                                                  uint64_t size_bytes) {
  Result<std::unique_ptr<File>> file = internal_error("not made");
  const Status status = change(
      point, {.kind = Change::Kind::kCreate, .path = path, .size_bytes = size_bytes},
      [] { return ok_status(); },
      [&] {
        file = host_->create(point, path, size_bytes);
        return file.status();
      });
  if (!status.ok()) {
    return status;
  }
  return std::make_unique<FaultyFile>(*std::move(file), shared_from_this(), path);
}

Status FaultyFiles::remove(WritePoint point, const std::string& path) {
  return change(
      point, {.kind = Change::Kind::kRemove, .path = path}, [] { return ok_status(); },
      [&] { return host_->remove(point, path); });
}

Status FaultyFiles::rename(WritePoint point, const std::string& from, const std::string& to) {
  return change(
      point, {.kind = Change::Kind::kRename, .path = from, .bytes = to}, [] { return ok_status(); },
      [&] { return host_->rename(point, from, to); });
}

Status FaultyFiles::sync_directory(WritePoint point, const std::string& path) {
  return change(
      point, {.kind = Change::Kind::kSyncDirectory, .path = path}, [] { return ok_status(); },
      [&] { return host_->sync_directory(point, path); });
}

}  // namespace forebay::cache
