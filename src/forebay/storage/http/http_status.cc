#include "forebay/storage/http/http_status.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "forebay/base/units.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/errors.h"

namespace forebay::storage {
namespace {

std::optional<int64_t> wait_asked_for(const net::HttpResponse& response) {
  const std::string* const text = response.header("Retry-After");
  return text == nullptr ? std::nullopt : net::parse_retry_after(*text, std::time(nullptr));
}

Status try_later(const net::HttpResponse& response, std::string_view uri) {
  const std::optional<int64_t> wait_ns = wait_asked_for(response);
  if (wait_ns || response.status == 429) {
    return throttled(uri, wait_ns.value_or(kSecond));
  }
  return unavailable("{}: the server answered {}", uri, response.status);
}

}  // namespace

Status status_of_http(const net::HttpResponse& response, std::string_view uri) {
  switch (response.status) {
    case 404:
    case 410:
      return no_such_object(uri);
    case 401:
    case 403:
    case 407:
      return permission_denied("{}: the server refused access ({}); check the credentials", uri,
                               response.status);
    case 409:
    case 412:
      return aborted("{}: the object has changed, or is being changed ({})", uri, response.status);
    case 416:
      return out_of_range("{}: the range exceeds the object", uri);
    case 405:
    case 501:
      return unimplemented("{}: the server does not offer this ({})", uri, response.status);
    case 408:
    case 429:
      return try_later(response, uri);
    default:
      return response.status >= 500 ? try_later(response, uri)
                                    : failed_precondition("{}: the server answered {}", uri, response.status);
  }
}

std::optional<net::ContentRange> content_range_of(const net::HttpResponse& head) {
  const std::string* const text = head.header("Content-Range");
  return text == nullptr ? std::nullopt : net::parse_content_range(*text);
}

std::optional<uint64_t> object_size_of(const net::HttpResponse& head) {
  if (head.status == 206 || head.status == 416) {
    const std::optional<net::ContentRange> range = content_range_of(head);
    return range ? range->size_bytes : std::nullopt;
  }
  const Result<uint64_t> length = head.content_length();
  return length.ok() ? std::optional(*length) : std::nullopt;
}

std::string version_of(const net::HttpResponse& head, std::optional<uint64_t> size_bytes) {
  const std::string* const etag = head.header("ETag");
  if (etag != nullptr && net::is_strong_etag(*etag)) {
    return *etag;
  }
  const std::string size = size_bytes ? fmt::format("{:x}", *size_bytes) : "";
  if (etag != nullptr && net::is_weak_etag(*etag)) {
    return *etag + "/" + size;
  }
  const std::string* const date = head.header("Last-Modified");
  const auto seconds = date == nullptr ? std::nullopt : net::parse_http_date(*date);
  return fmt::format("{:x}/{}", seconds.value_or(0), size);
}

// Of two versions in one second, at least one was sent with a Date of that second. The rest of the minute is
// for clocks that differ, as RFC 2616 (13.3.3) had it; RFC 9110 leaves its length open.
bool has_weak_version(const net::HttpResponse& head) {
  constexpr int64_t kLeastAgeS = 60;
  const std::string* const etag = head.header("ETag");
  if (etag != nullptr && (net::is_strong_etag(*etag) || net::is_weak_etag(*etag))) {
    return !net::is_strong_etag(*etag);
  }
  const auto time_of = [&](const char* name) {
    const std::string* const text = head.header(name);
    return text == nullptr ? std::nullopt : net::parse_http_date(*text);
  };
  const std::optional<int64_t> modified_s = time_of("Last-Modified");
  const std::optional<int64_t> sent_s = time_of("Date");
  return !modified_s || !sent_s || *modified_s > *sent_s - kLeastAgeS;
}

int64_t modified_ns_of(const std::string* date) {
  const int64_t seconds = date == nullptr ? 0 : net::parse_http_date(*date).value_or(0);
  return seconds < INT64_MAX / kSecond ? seconds * kSecond : 0;
}

int64_t written_ns_of(const net::HttpResponse& answer) {
  const std::string* const modified = answer.header("Last-Modified");
  return modified_ns_of(modified != nullptr ? modified : answer.header("Date"));
}

Result<ObjectStat> stat_of(const net::HttpResponse& head, std::string key, std::string_view uri) {
  const std::optional<uint64_t> size = object_size_of(head);
  if (!size) {
    return failed_precondition("{}: the server does not tell the object's size", uri);
  }
  return ObjectStat{.key = std::move(key),
                    .size_bytes = *size,
                    .modified_ns = modified_ns_of(head.header("Last-Modified")),
                    .version = version_of(head, size)};
}

}  // namespace forebay::storage
