#include "forebay/storage/range.h"

#include <cstring>
#include <utility>

namespace forebay::storage {
namespace {

// Larger than any object; keeps sums of sizes far from overflow.
constexpr uint64_t kLargestReadBytes = uint64_t{1} << 46;

}  // namespace

Result<uint64_t> range_length(const ReadRequest& request, uint64_t size_bytes, std::string_view uri) {
  const bool fits =
      request.offset_bytes <= size_bytes &&
      (request.length_bytes == kToEnd || request.length_bytes <= size_bytes - request.offset_bytes);
  if (!fits) {
    return out_of_range("{}: {} bytes at {} were requested; the object has {}", uri,
                        request.length_bytes == kToEnd ? 0 : request.length_bytes, request.offset_bytes,
                        size_bytes);
  }
  return request.length_bytes == kToEnd ? size_bytes - request.offset_bytes : request.length_bytes;
}

namespace {

Result<ReadTarget> target_in(const ReadRequest& request, uint64_t length_bytes, std::string version,
                             std::string_view uri) {
  if (request.resource != nullptr) {
    return invalid_argument("{}: a read goes to the caller's memory or to that of a resource, not to both",
                            uri);
  }
  if (request.into.size() < length_bytes || request.into.size() - length_bytes < request.padding_bytes) {
    return invalid_argument("{}: {} bytes and {} behind them do not fit into {}", uri, length_bytes,
                            request.padding_bytes, request.into.size());
  }
  ReadTarget target;
  target.destination = request.into.first(length_bytes);
  target.answer.bytes = target.destination;
  target.answer.version = std::move(version);
  return target;
}

Result<ReadTarget> target_in_buffer(const ReadRequest& request, uint64_t length_bytes, std::string version,
                                    std::string_view uri) {
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
  ReadTarget target;
  target.destination = (*buffer)->mutable_bytes().first(length_bytes);
  target.answer.owner = *buffer;
  target.answer.bytes = target.destination;
  target.answer.version = std::move(version);
  target.answer.buffer = *std::move(buffer);
  return target;
}

}  // namespace

Result<ReadTarget> allocate_read(const ReadRequest& request, uint64_t length_bytes, std::string version,
                                 std::string_view uri) {
  if (length_bytes > kLargestReadBytes || request.padding_bytes > kLargestReadBytes) {
    return resource_exhausted("{}: a read of {} bytes", uri, length_bytes);
  }
  const bool is_given = request.into.data() != nullptr;
  FOREBAY_ASSIGN_OR_RETURN(ReadTarget target,
                           is_given ? target_in(request, length_bytes, std::move(version), uri)
                                    : target_in_buffer(request, length_bytes, std::move(version), uri));
  if (request.padding_bytes > 0) {
    std::memset(target.destination.data() + length_bytes, 0, request.padding_bytes);
    target.answer.readable_behind = request.padding_bytes;
  }
  return target;
}

}  // namespace forebay::storage
