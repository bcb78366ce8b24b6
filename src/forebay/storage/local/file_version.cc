#include "forebay/storage/local/file_version.h"

#include <algorithm>

#include "forebay/base/metrics.h"
#include "forebay/storage/errors.h"

namespace forebay::storage {
namespace {

constexpr char kPartSeparator = '-';
constexpr std::ptrdiff_t kSeparators = 3;

Counter& touched_counter() {
  return counter("storage_touched_reads");
}

/// All but the time of change; empty if this is not a version of a file.
std::string_view content_part(std::string_view version) {
  const bool is_of_file = std::ranges::count(version, kPartSeparator) == kSeparators;
  return is_of_file ? version.substr(0, version.rfind(kPartSeparator)) : std::string_view();
}

int64_t nanoseconds_of(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::string file_version(const struct stat& status) {
  const uint64_t size_bytes = S_ISDIR(status.st_mode) ? 0 : static_cast<uint64_t>(status.st_size);
  return fmt::format("{:x}-{:x}-{:x}-{:x}", status.st_ino, size_bytes, nanoseconds_of(status.st_mtim),
                     nanoseconds_of(status.st_ctim));
}

bool has_same_content(std::string_view known, std::string_view found) {
  if (known == found) {
    return true;
  }
  const std::string_view content = content_part(known);
  return !content.empty() && content == content_part(found);
}

bool has_same_content(const ObjectStore& store, std::string_view key, std::string_view known,
                      std::string_view found) {
  return known == found || (has_same_content(known, found) && store.local_file(key).has_value());
}

Status check_content(std::string_view asked, std::string_view found, std::string_view uri) {
  if (asked.empty() || asked == found) {
    return ok_status();
  }
  if (!has_same_content(asked, found)) {
    return version_changed(uri, asked, found);
  }
  touched_counter().add(1);
  return ok_status();
}

uint64_t touched_reads() {
  return touched_counter().value();
}

}  // namespace forebay::storage
