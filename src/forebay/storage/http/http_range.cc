#include "forebay/storage/http/http_range.h"

#include <fmt/format.h>

#include "forebay/storage/http/http_status.h"
#include "forebay/storage/range.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kLargestOffset = uint64_t{1} << 62;  // far beyond any object

}  // namespace

bool has_http_form(const ReadRequest& request) {
  const bool is_open = request.length_bytes == kToEnd;
  return request.length_bytes > 0 && request.offset_bytes < kLargestOffset &&
         (is_open || request.length_bytes < kLargestOffset);
}

std::string http_range(const ReadRequest& request) {
  if (request.length_bytes != kToEnd) {
    return fmt::format("bytes={}-{}", request.offset_bytes, request.offset_bytes + request.length_bytes - 1);
  }
  return request.offset_bytes > 0 ? fmt::format("bytes={}-", request.offset_bytes) : "";
}

bool answers_exactly(const net::HttpResponse& head, const ReadRequest& request) {
  const std::optional<net::ContentRange> range = content_range_of(head);
  return head.status == 206 && range && range->has_range && range->first == request.offset_bytes &&
         range->length_bytes() == request.length_bytes;
}

Result<uint64_t> answered_length(const net::HttpResponse& head, const ReadRequest& request,
                                 uint64_t size_bytes, std::string_view uri) {
  if (head.status == 200) {
    return range_length(request, size_bytes, uri);
  }
  const net::ContentRange range = content_range_of(head).value_or(net::ContentRange());
  const Status another =
      unavailable("{}: the server sent another range than was asked for, at {}", uri, request.offset_bytes);
  if (head.status != 206 || !range.has_range || range.first != request.offset_bytes) {
    return another;
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request, size_bytes, uri));
  return range.length_bytes() == length ? Result<uint64_t>(length) : another;
}

}  // namespace forebay::storage
