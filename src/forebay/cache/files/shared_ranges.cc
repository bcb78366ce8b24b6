#include "forebay/cache/files/shared_ranges.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "forebay/base/system_error.h"

namespace forebay::cache {

FileId FileId::of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId();
}

uint64_t SharedRanges::add(Bytes range, std::string path, int file, uint64_t zeros_behind) {
  const FileId id = FileId::of(file);
  const MutexLock lock(mutex_);
  const uint64_t number = ++last_number_;
  by_address_.insert_or_assign(range.data(), Range{number, range, zeros_behind, std::move(path), id});
  by_number_.emplace(number, range.data());
  return number;
}

void SharedRanges::remove(uint64_t range) {
  {
    const MutexLock lock(mutex_);
    const auto found = by_number_.find(range);
    if (found == by_number_.end()) {
      return;
    }
    by_address_.erase(found->second);
    by_number_.erase(found);
  }
  const MutexLock lock(watches_mutex_);
  for (const auto& [number, told] : watches_) {
    told();
  }
}

uint64_t SharedRanges::watch(std::function<void()> told) {
  const MutexLock lock(watches_mutex_);
  watches_.emplace(++last_watch_, std::move(told));
  return last_watch_;
}

void SharedRanges::unwatch(uint64_t number) {
  const MutexLock lock(watches_mutex_);
  watches_.erase(number);
}

std::optional<SharedPlace> SharedRanges::find(Bytes bytes) const {
  const MutexLock lock(mutex_);
  auto found = by_address_.upper_bound(bytes.data());
  if (found == by_address_.begin()) {
    return std::nullopt;
  }
  const Range& range = (--found)->second;
  const auto offset = static_cast<uint64_t>(bytes.data() - range.bytes.data());
  if (offset >= range.bytes.size() || bytes.size() > range.bytes.size() - offset) {
    return std::nullopt;
  }
  return SharedPlace{.range = range.number,
                     .range_bytes = range.bytes.size(),
                     .range_zeros = range.zeros_behind,
                     .offset_bytes = offset};
}

bool SharedRanges::has(uint64_t range) const {
  const MutexLock lock(mutex_);
  return by_number_.contains(range);
}

Result<FileDescriptor> SharedRanges::open(uint64_t range) const {
  std::string path;
  FileId file;
  {
    const MutexLock lock(mutex_);
    const auto found = by_number_.find(range);
    if (found == by_number_.end()) {
      return not_found("shared range {} has gone", range);
    }
    const Range& known = by_address_.at(found->second);
    path = known.path;
    file = known.file;
  }
  FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_valid()) {
    return errno_status(errno, path);
  }
  if (file == FileId() || FileId::of(opened.get()) != file) {
    return not_found("{}: another file is in the place of the one that is mapped", path);
  }
  return opened;
}

SharedRanges& shared_ranges() {
  static auto* const ranges = new SharedRanges;  // mappings may outlive the process's statics
  return *ranges;
}

}  // namespace forebay::cache
