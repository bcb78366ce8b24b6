#include "forebay/storage/http/service_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/strings/cord.h"
#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxEtagBytes = 200;

/// What can stand in a header, in XML and in the file of an index.
bool is_etag_character(char c) {
  return c > ' ' && c < '\x7f' && c != '"' && c != '<' && c != '>' && c != '&';
}

std::string what_it_says(const ServiceFailure& failure) {
  const std::string_view separator = failure.code.empty() || failure.message.empty() ? "" : ": ";
  return failure.code.empty() && failure.message.empty()
             ? std::string()
             : fmt::format(" ({}: {}{}{})", failure.service, failure.code, separator, failure.message);
}

}  // namespace

std::string for_message(std::string_view text, size_t most_bytes) {
  std::string shown;
  for (const char c : text.substr(0, most_bytes)) {
    shown += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return shown;
}

Status service_error(const net::HttpResponse& answer, const ServiceFailure& failure, std::string_view uri) {
  const Status plain = status_of_http(answer, uri);
  Status status = make_status(plain.code(), "{}{}", message(plain), what_it_says(failure));
  plain.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    status.SetPayload(type, payload);  // how long the service asks to be left alone
  });
  return status;
}

Status service_error(StatusCode code, std::string_view what, const ServiceFailure& failure,
                     std::string_view uri) {
  return make_status(code, "{}: {}{}", uri, what, what_it_says(failure));
}

Status named(const Status& status, std::string_view uri) {
  return message(status).starts_with(uri) ? status : annotate(status, uri);
}

std::string_view unquoted(std::string_view etag) {
  return etag.size() >= 2 && etag.front() == '"' && etag.back() == '"' ? etag.substr(1, etag.size() - 2)
                                                                       : etag;
}

Result<std::string> etag_in(const net::HttpResponse& answer, std::string_view uri) {
  const std::string* const header = answer.header("ETag");
  const std::string_view etag = header != nullptr ? unquoted(*header) : std::string_view();
  if (etag.empty() || etag.size() > kMaxEtagBytes ||
      !std::all_of(etag.begin(), etag.end(), is_etag_character)) {
    return data_loss("{}: the answer has no usable ETag; does the server speak this protocol?", uri);
  }
  return std::string(etag);
}

Result<ObjectStat> stat_with_etag(const net::HttpResponse& answer, std::string key, std::string_view uri) {
  FOREBAY_ASSIGN_OR_RETURN(ObjectStat stat, stat_of(answer, std::move(key), uri));
  FOREBAY_ASSIGN_OR_RETURN(stat.version, etag_in(answer, uri));
  return stat;
}

Status write_error(Status status, const WriteOptions& options, std::string_view uri) {
  return status.code() == StatusCode::kAborted && options.if_absent
             ? already_exists("{}: the object already exists", uri)
             : status;
}

Result<ObjectStat> written_in(const Result<net::HttpResponse>& answer, ObjectStat stat,
                              const WriteOptions& options, std::string_view uri) {
  if (!answer.ok()) {
    return write_error(answer.status(), options, uri);
  }
  FOREBAY_ASSIGN_OR_RETURN(stat.version, etag_in(*answer, uri));
  stat.modified_ns = written_ns_of(*answer);
  return stat;
}

}  // namespace forebay::storage
