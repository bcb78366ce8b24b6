// Who may ask, and how much may come.
#include "forebay/serving/http/admission.h"

#include "forebay/base/units.h"
#include "forebay/net/http_fields.h"
#include "forebay/serving/protocol/http_status.h"
#include "forebay/serving/protocol/parse_request.h"

namespace forebay::serving {
namespace {

net::ServerResponse forbidden(std::string_view why) {
  net::ServerResponse response;
  response.status = 403;
  response.headers = {{"Content-Type", "application/json"}};
  response.append(error_body(why));
  return response;
}

/// A host without its port: "localhost", "127.0.0.1", "[::1]".
std::string_view without_port(std::string_view host) {
  const size_t bracket = host.rfind(']');
  const size_t colon = host.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  return has_port ? host.substr(0, colon) : host;
}

bool names_this_host(std::string_view host) {
  const std::string_view name = without_port(host);
  const bool is_number =
      name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string_view::npos;
  return name == "localhost" || name == "[::1]" || is_number;
}

}  // namespace

Result<std::optional<uint64_t>> header_length_of(const net::RequestHead& head) {
  const std::string* const field = head.header(kHeaderLength);
  if (field == nullptr) {
    return std::nullopt;
  }
  const std::optional<uint64_t> length = net::parse_decimal(*field);
  if (!length) {
    return invalid_argument("{} is '{}', which is no number of bytes", kHeaderLength, *field);
  }
  return length;
}

net::Admission admit(const net::RequestHead& head, const AdmissionRules& rules) {
  net::Admission admission;
  const std::string* const host = head.header("Host");
  if (rules.is_open && head.header("Origin") != nullptr) {
    admission.refusal =
        forbidden("requests of web pages are answered where a token is asked for (--token-file)");
  } else if (rules.is_open && rules.is_local && host != nullptr && !names_this_host(*host)) {
    admission.refusal = forbidden(
        "the Host of the request is not this host: ask localhost, or start with a token "
        "(--token-file)");
  }
  const std::string& path = head.target.path;
  if (path.ends_with("/infer") || path.ends_with("/infer/")) {
    if (const auto length = header_length_of(head); length.ok() && *length) {
      admission.bytes_before_body = bytes_before_body(**length);
    }
    admission.answer_kind = path;
    return admission;
  }
  const bool takes_body = path.starts_with("/v2/repository/") ||
                          path.starts_with("/v2/systemsharedmemory/") ||
                          path.starts_with("/v2/cudasharedmemory/");
  admission.max_body_bytes = takes_body ? kMiB : 0;
  return admission;
}

}  // namespace forebay::serving
