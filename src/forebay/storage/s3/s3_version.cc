#include "forebay/storage/s3/s3_version.h"

#include <mutex>
#include <optional>

#include "fmt/format.h"
#include "forebay/base/log/log.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/http/service_error.h"

namespace forebay::storage {
namespace {

constexpr std::string_view kTimePrefix = "time:";

void tell_once(std::string_view uri) {
  static std::once_flag told;
  std::call_once(told, [&] {
    log_warning(
        "{}: the server gives it no ETag; such objects are told apart by time and size, and are not cached",
        uri);
  });
}

}  // namespace

Result<std::string> s3_version_in(const net::HttpResponse& answer, std::string_view uri) {
  if (answer.header("ETag") != nullptr) {
    return etag_in(answer, uri);
  }
  const std::string* const date = answer.header("Last-Modified");
  const std::optional<int64_t> modified_s = date == nullptr ? std::nullopt : net::parse_http_date(*date);
  const std::optional<uint64_t> size = object_size_of(answer);
  if (!modified_s || !size) {
    return etag_in(answer, uri);
  }
  tell_once(uri);
  return fmt::format("{}{:x}/{:x}", kTimePrefix, *modified_s, *size);
}

bool is_time_version(std::string_view version) {
  return version.starts_with(kTimePrefix);
}

void add_version(std::string_view header, std::string_view version, net::AwsFields& headers) {
  if (!version.empty() && !is_time_version(version)) {
    headers.emplace_back(header, fmt::format("\"{}\"", version));
  }
}

Status check_writable(const WriteOptions& options, std::string_view uri) {
  return is_time_version(options.if_version)
             ? unimplemented("{}: the server gives it no ETag, so a write cannot depend on its version", uri)
             : ok_status();
}

}  // namespace forebay::storage
