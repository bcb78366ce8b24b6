// Where a service is, taken apart.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

struct Endpoint {
  std::string scheme = "https";
  std::string host;  // with the port, unless it is the scheme's own
  std::string path;  // in front of every path; begins with "/", ends without; mostly empty

  std::string url() const { return scheme + "://" + host + path; }
};

/// `service` names it in errors ("S3"). invalid_argument for what is no http or https URL, or holds a user, a
/// query or a fragment.
Result<Endpoint> parse_endpoint(const std::string& url, std::string_view service);

/// Whether a secret may be sent to the URL: over TLS, or within this host.
bool may_take_secrets(const std::string& url);

}  // namespace forebay::storage
