#include "forebay/net/http_message.h"

#include "absl/strings/match.h"
#include "forebay/net/http_fields.h"

namespace forebay::net {

const std::string* find_header(const std::vector<HttpHeader>& headers, std::string_view name) {
  for (const HttpHeader& header : headers) {
    if (absl::EqualsIgnoreCase(absl::string_view(header.name.data(), header.name.size()),
                               absl::string_view(name.data(), name.size()))) {
      return &header.value;
    }
  }
  return nullptr;
}

Result<uint64_t> HttpResponse::content_length() const {
  const std::string* const value = header("Content-Length");
  if (value == nullptr) {
    return not_found("the answer does not give its length");
  }
  const std::optional<uint64_t> length = parse_decimal(*value);
  if (!length) {
    return unavailable("the answer's length is no number");
  }
  return *length;
}

}  // namespace forebay::net
