#include "forebay/cache/client/host_memory.h"

#include <algorithm>
#include <utility>

#include "forebay/cache/disk/segment_format.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/files/mapped_file.h"
#include "forebay/cache/messages/cache_trouble.h"

namespace forebay::cache {

using storage::ReadBytes;

/// A file of the daemon in this process's memory.
class HostMemory::Mapped {
 public:
  static Result<std::shared_ptr<const Mapped>> map(const FileDescriptor& file, const HostBytes& range) {
    const uint64_t zeros_bytes = std::min(range.range_zeros, kZerosBehind);
    FOREBAY_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::map(file.get(), range.range_bytes, zeros_bytes,
                                                                "memory that the cache's daemon shares"));
    return std::make_shared<const Mapped>(std::move(mapped), zeros_bytes);
  }
  Mapped(MappedFile mapped, uint64_t zeros_bytes) : mapped_(std::move(mapped)), zeros_bytes_(zeros_bytes) {}

  Bytes bytes() const { return mapped_.bytes(); }
  /// That can be read behind them.
  uint64_t zeros_bytes() const { return zeros_bytes_; }

 private:
  const MappedFile mapped_;
  const uint64_t zeros_bytes_;
};

/// Keeps what a view shows where it is: by a lease of the daemon, and by tokens once that, or the connection,
/// has gone.
class HostMemory::View {
 public:
  View(std::shared_ptr<const Mapped> mapped, std::shared_ptr<const std::vector<FileDescriptor>> tokens,
       std::function<void()> release)
      : tokens_(std::move(tokens)), mapped_(std::move(mapped)), release_(std::move(release)) {}
  ~View() {
    mapped_.reset();
    release_();
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

 private:
  const std::shared_ptr<const std::vector<FileDescriptor>> tokens_;
  std::shared_ptr<const Mapped> mapped_;
  const std::function<void()> release_;
};

void HostMemory::hold(std::vector<FileDescriptor> tokens) {
  const MutexLock lock(mutex_);
  tokens_ = std::make_shared<const std::vector<FileDescriptor>>(std::move(tokens));
}

void HostMemory::forget(uint64_t range) {
  std::shared_ptr<const Mapped> dropped;  // unmapped without the lock
  const MutexLock lock(mutex_);
  if (const auto found = mapped_.find(range); found != mapped_.end()) {
    dropped = std::move(found->second);
    mapped_.erase(found);
  }
}

void HostMemory::forget_all() {
  std::unordered_map<uint64_t, std::shared_ptr<const Mapped>> mapped;
  std::shared_ptr<const std::vector<FileDescriptor>> tokens;
  const MutexLock lock(mutex_);
  mapped.swap(mapped_);
  tokens.swap(tokens_);
}

void HostMemory::keep_file(const HostBytes& bytes, std::vector<FileDescriptor> files) {
  if (bytes.has_file && !mapped(bytes, std::move(files)).ok()) {
    forgotten_(bytes.range);
  }
}

Result<std::shared_ptr<const HostMemory::Mapped>> HostMemory::mapped(const HostBytes& bytes,
                                                                     std::vector<FileDescriptor> files) {
  if (!bytes.has_file) {
    const MutexLock lock(mutex_);
    const auto found = mapped_.find(bytes.range);
    if (found == mapped_.end()) {
      return unavailable("bytes in memory that the cache's daemon has not shared");
    }
    return found->second;
  }
  if (files.empty()) {
    return invalid_argument("the cache's daemon named a file and did not send it");
  }
  Result<std::shared_ptr<const Mapped>> made = Mapped::map(files.front(), bytes);
  if (!made.ok()) {
    unmap_unused();
    made = Mapped::map(files.front(), bytes);
  }
  FOREBAY_RETURN_IF_ERROR(made.status());
  const MutexLock lock(mutex_);
  mapped_.insert_or_assign(bytes.range, *made);
  return made;
}

/// A whole file is mapped for its view alone, unless it is already.
Result<std::shared_ptr<const HostMemory::Mapped>> HostMemory::mapped_for_now(
    const HostBytes& bytes, const std::vector<FileDescriptor>& files) {
  if (files.empty()) {
    return invalid_argument("the cache's daemon named a file and did not send it");
  }
  {
    const MutexLock lock(mutex_);
    if (const auto found = mapped_.find(bytes.range); found != mapped_.end()) {
      return found->second;
    }
  }
  return Mapped::map(files.front(), bytes);
}

void HostMemory::unmap_unused() {
  std::vector<std::shared_ptr<const Mapped>> unused;  // unmapped without the lock
  std::vector<uint64_t> ranges;
  {
    const MutexLock lock(mutex_);
    for (const auto& [range, mapped] : mapped_) {
      if (mapped.use_count() == 1) {
        ranges.push_back(range);
      }
    }
    for (const uint64_t range : ranges) {
      const auto found = mapped_.find(range);
      unused.push_back(std::move(found->second));
      mapped_.erase(found);
    }
  }
  for (const uint64_t range : ranges) {
    forgotten_(range);
  }
}

Result<ReadBytes> HostMemory::view_of(HostBytes bytes, std::vector<FileDescriptor> files,
                                      std::function<void()> release) {
  if (bytes.range == 0) {
    auto text = std::make_shared<const std::string>(std::move(bytes.inline_bytes));
    ReadBytes read = {.owner = text, .bytes = bytes_of(*text), .version = std::move(bytes.version)};
    read.has_weak_version = bytes.has_weak_version;
    return read;
  }
  std::shared_ptr<const FileDescriptor> whole;
  Result<std::shared_ptr<const Mapped>> file =
      bytes.is_whole_file ? mapped_for_now(bytes, files) : mapped(bytes, std::move(files));
  if (file.ok() && bytes.is_whole_file) {
    whole = std::make_shared<const FileDescriptor>(std::move(files.front()));
  }
  if (!file.ok()) {
    if (!bytes.is_whole_file) {
      forgotten_(bytes.range);
    }
    release();
    return cache_trouble(file.status());
  }
  std::shared_ptr<const std::vector<FileDescriptor>> tokens;
  {
    const MutexLock lock(mutex_);
    tokens = tokens_;
  }
  if (!tokens) {  // the daemon counts as gone since it sent the answer: nothing would keep the bytes
    release();
    return daemon_gone();
  }
  const Bytes all = (*file)->bytes();
  const uint64_t zeros_bytes = (*file)->zeros_bytes();
  auto view = std::make_shared<View>(*std::move(file), std::move(tokens), std::move(release));
  if (bytes.offset_bytes > all.size() || bytes.length_bytes > all.size() - bytes.offset_bytes) {
    return cache_trouble(invalid_argument("bytes {} and {} more of a file of {} bytes", bytes.offset_bytes,
                                          bytes.length_bytes, all.size()));
  }
  const uint64_t behind = all.size() - bytes.offset_bytes - bytes.length_bytes + zeros_bytes;
  ReadBytes read = {.owner = std::move(view), .bytes = all.subspan(bytes.offset_bytes, bytes.length_bytes)};
  read.version = std::move(bytes.version);
  read.readable_behind = std::min(bytes.readable_behind, behind);
  read.has_weak_version = bytes.has_weak_version;
  read.file = std::move(whole);
  return read;
}

}  // namespace forebay::cache
