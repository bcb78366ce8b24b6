#include "forebay/cache/files/shared_ranges.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "forebay/base/system_error.h"

namespace forebay::cache {

uint64_t SharedRanges::add(Bytes range, std::string path) {
  const MutexLock lock(mutex_);
  const uint64_t number = ++last_number_;
  by_address_.insert_or_assign(range.data(), Range{number, range, std::move(path)});
  by_number_.emplace(number, range.data());
  return number;
}

void SharedRanges::remove(uint64_t range) {
  const MutexLock lock(mutex_);
  const auto found = by_number_.find(range);
  if (found != by_number_.end()) {
    by_address_.erase(found->second);
    by_number_.erase(found);
  }
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
  return SharedPlace{.range = range.number, .range_bytes = range.bytes.size(), .offset_bytes = offset};
}

bool SharedRanges::has(uint64_t range) const {
  const MutexLock lock(mutex_);
  return by_number_.contains(range);
}

Result<FileDescriptor> SharedRanges::open(uint64_t range) const {
  std::string path;
  {
    const MutexLock lock(mutex_);
    const auto found = by_number_.find(range);
    if (found == by_number_.end()) {
      return not_found("shared range {} has gone", range);
    }
    path = by_address_.at(found->second).path;
  }
  FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_valid()) {
    return errno_status(errno, path);
  }
  return opened;
}

SharedRanges& shared_ranges() {
  static auto* const ranges = new SharedRanges;  // mappings may outlive the process's statics
  return *ranges;
}

}  // namespace forebay::cache
