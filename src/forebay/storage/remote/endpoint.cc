#include "forebay/storage/remote/endpoint.h"

#include <algorithm>

#include "fmt/format.h"
#include "forebay/net/url.h"

namespace forebay::storage {

Result<Endpoint> parse_endpoint(const std::string& url, std::string_view service) {
  const std::string shown = net::url_for_message(url);
  FOREBAY_RETURN_IF_ERROR(annotate(net::check_url(url), fmt::format("the {} endpoint '{}'", service, shown)));
  const size_t colon = url.find("://");
  Endpoint endpoint;
  endpoint.scheme = url.substr(0, colon);
  std::transform(endpoint.scheme.begin(), endpoint.scheme.end(), endpoint.scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string rest = url.substr(colon + 3);
  if (rest.find_first_of("@?#") != std::string::npos) {
    return invalid_argument("the {} endpoint '{}' may have a host, a port and a path, and nothing else",
                            service, shown);
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  endpoint.host = rest.substr(0, slash);
  endpoint.path = rest.substr(slash);
  while (endpoint.path.ends_with('/')) {
    endpoint.path.pop_back();
  }
  const std::string own_port = endpoint.scheme == "https" ? ":443" : ":80";
  if (endpoint.host.ends_with(own_port)) {
    endpoint.host.resize(endpoint.host.size() - own_port.size());
  }
  return endpoint;
}

bool may_take_secrets(const std::string& url) {
  const Result<std::string> origin = net::origin_of(url);
  return origin.ok() && (origin->starts_with("https://") || net::is_of_this_host(url));
}

}  // namespace forebay::storage
