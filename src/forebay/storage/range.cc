#include "forebay/storage/range.h"

#include <cstring>

namespace forebay::storage {
namespace {

// What no object has; keeps sums of sizes far from overflow.
constexpr uint64_t kLargestReadBytes = uint64_t{1} << 46;

}  // namespace

Result<uint64_t> range_length(const ReadRequest& request, uint64_t size_bytes, std::string_view uri) {
  const bool fits =
      request.offset_bytes <= size_bytes &&
      (request.length_bytes == kToEnd || request.length_bytes <= size_bytes - request.offset_bytes);
  if (!fits) {
    return out_of_range("{}: {} bytes at {} were asked for; the object has {}", uri,
                        request.length_bytes == kToEnd ? 0 : request.length_bytes, request.offset_bytes,
                        size_bytes);
  }
  return request.length_bytes == kToEnd ? size_bytes - request.offset_bytes : request.length_bytes;
}

Result<ReadBytes> allocate_read(const ReadRequest& request, uint64_t length_bytes, std::string_view uri) {
  if (length_bytes > kLargestReadBytes || request.padding_bytes > kLargestReadBytes) {
    return resource_exhausted("{}: a read of {} bytes", uri, length_bytes);
  }
  std::shared_ptr<memory::MemoryResource> resource =
      request.resource ? request.resource : memory::host_pool();
  if (!memory::is_host_accessible(resource->kind())) {
    return invalid_argument("{}: reads go to host memory, not to {}", uri, memory::name_of(resource->kind()));
  }
  Result<memory::BufferRef> buffer =
      memory::Buffer::allocate(length_bytes + request.padding_bytes, std::move(resource));
  if (!buffer.ok()) {
    return annotate(buffer.status(), uri);
  }
  if (request.padding_bytes > 0) {
    std::memset((*buffer)->mutable_bytes().data() + length_bytes, 0, request.padding_bytes);
  }
  return ReadBytes{*std::move(buffer), length_bytes};
}

Status no_such_object(std::string_view uri) {
  return not_found("{}: no such object", uri);
}

Status version_changed(std::string_view uri, std::string_view expected, std::string_view found) {
  return aborted("{}: the object has changed; version {} was asked for, {} is there", uri, expected, found);
}

}  // namespace forebay::storage
