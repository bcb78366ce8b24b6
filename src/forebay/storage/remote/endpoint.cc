#include "forebay/storage/remote/endpoint.h"

#include <algorithm>
#include <array>

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

bool may_take_secrets(std::string_view url) {
  constexpr std::array<std::string_view, 3> kThisHost = {"localhost", "127.0.0.1", "[::1]"};
  constexpr std::string_view kPlain = "http://";
  if (!url.starts_with(kPlain)) {
    return url.starts_with("https://");
  }
  const std::string_view rest = url.substr(kPlain.size());
  const std::string_view authority = rest.substr(0, rest.find('/'));
  return std::any_of(kThisHost.begin(), kThisHost.end(), [&](std::string_view host) {
    return authority == host || authority.starts_with(fmt::format("{}:", host));
  });
}

}  // namespace forebay::storage
