#include "forebay/storage/http/service_error.h"

#include <fmt/format.h>

#include "absl/strings/cord.h"
#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
namespace {

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

Status write_error(Status status, const WriteOptions& options, std::string_view uri) {
  return status.code() == StatusCode::kAborted && options.if_absent
             ? already_exists("{}: the object already exists", uri)
             : status;
}

}  // namespace forebay::storage
