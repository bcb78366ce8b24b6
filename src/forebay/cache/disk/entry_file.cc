#include "forebay/cache/disk/entry_file.h"

#include <algorithm>
#include <span>
#include <vector>

#include "forebay/base/crc32c.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kCheckBytes = 128 << 10;

}  // namespace

Result<std::shared_ptr<const Mapping>> EntryFile::mapping() {
  const MutexLock lock(mapping_mutex_);
  if (!mapping_) {
    FOREBAY_ASSIGN_OR_RETURN(mapping_, map());
  }
  return mapping_;
}

Result<std::shared_ptr<const Mapping>> EntryFile::map() const {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, open(false));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size_bytes, file->size_bytes());
  return file->map(size_bytes, 0);
}

void EntryFile::forget_mapping() {
  std::shared_ptr<const Mapping> dropped;  // unmapped without the lock
  const MutexLock lock(mapping_mutex_);
  dropped.swap(mapping_);
}

Result<std::optional<ObjectNames>> read_names(const File& file, uint64_t offset_bytes, size_t uri_bytes,
                                              size_t version_bytes, const ObjectId& object) {
  std::optional<ObjectNames> names = ObjectNames{std::string(uri_bytes, '\0'), {}};
  std::string& text = names->uri;
  text.resize(uri_bytes + version_bytes);
  FOREBAY_RETURN_IF_ERROR(file.read(offset_bytes, std::as_writable_bytes(std::span(text))));
  names->version = text.substr(uri_bytes);
  text.resize(uri_bytes);
  if (object_id(names->uri, names->version) != object) {
    names.reset();
  }
  return names;
}

Result<uint32_t> crc_of(const File& file, Extent extent, uint32_t crc) {
  std::vector<std::byte> bytes(std::min(kCheckBytes, extent.end_bytes - extent.begin_bytes));
  for (uint64_t at = extent.begin_bytes; at < extent.end_bytes; at += bytes.size()) {
    const MutableBytes part =
        MutableBytes(bytes).first(std::min<uint64_t>(bytes.size(), extent.end_bytes - at));
    FOREBAY_RETURN_IF_ERROR(file.read(at, part));
    crc = crc32c(part, crc);
  }
  return crc;
}

}  // namespace forebay::cache
