#include "forebay/storage/local/file_version.h"

#include <algorithm>

#include "forebay/base/metrics/metrics.h"
#include "forebay/storage/errors.h"

namespace forebay::storage {
namespace {

Counter& touched_counter() {
  return counter("storage_touched_reads");
}

/// The parts of a version of a file; none if this is not one.
struct FileVersion {
  std::string_view content;  // inode, size and time of modification
  std::string_view born;     // empty if it was not known
  std::string_view changed;
};

FileVersion parts_of_version(std::string_view version) {
  constexpr char kSeparator = '-';
  constexpr std::ptrdiff_t kSeparators = 3;
  const std::ptrdiff_t separators = std::ranges::count(version, kSeparator);
  if (separators < kSeparators || separators > kSeparators + 1) {
    return {};
  }
  FileVersion parts;
  const auto take_last = [&] {
    const size_t separator = version.rfind(kSeparator);
    const std::string_view last = version.substr(separator + 1);
    version = version.substr(0, separator);
    return last;
  };
  parts.changed = take_last();
  if (separators > kSeparators) {
    parts.born = take_last();
  }
  parts.content = version;
  return parts;
}

}  // namespace

std::string file_version(const FileStatus& status) {
  const bool is_folder = S_ISDIR(status.st_mode);
  const uint64_t size_bytes = is_folder ? 0 : static_cast<uint64_t>(status.st_size);
  const int64_t changed_ns = nanoseconds_of(status.st_ctim);
  const std::string content =
      fmt::format("{:x}-{:x}-{:x}", status.st_ino, size_bytes, nanoseconds_of(status.st_mtim));
  return is_folder || status.born_ns == 0 ? fmt::format("{}-{:x}", content, changed_ns)
                                          : fmt::format("{}-{:x}-{:x}", content, status.born_ns, changed_ns);
}

bool has_same_content(std::string_view known, std::string_view found) {
  if (known == found) {
    return true;
  }
  const FileVersion before = parts_of_version(known);
  const FileVersion now = parts_of_version(found);
  if (before.content.empty() || before.content != now.content) {
    return false;
  }
  const bool know_birth = !before.born.empty() && !now.born.empty();
  return know_birth ? before.born == now.born : before.changed == now.changed;
}

bool is_same_version(std::string_view known, std::string_view found) {
  return has_same_content(known, found) && parts_of_version(known).changed == parts_of_version(found).changed;
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
