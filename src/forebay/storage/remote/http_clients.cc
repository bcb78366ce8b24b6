#include "forebay/storage/remote/http_clients.h"

#include <optional>
#include <utility>

#include "forebay/storage/remote/state_mutex.h"

namespace forebay::storage {
namespace {

std::vector<std::string> said_of_connections(const Environment& environment) {
  std::vector<std::string> said;
  for (const std::string& name : connection_variables()) {
    said.push_back(environment(name).value_or(""));
  }
  return said;
}

std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (std::optional<std::string> value = environment(name)) {
      return *std::move(value);
    }
  }
  return {};
}

// Curl does not read HTTP_PROXY, which a header of a request may set where a program runs under a web server.
net::HttpClientOptions options_of(const Environment& environment) {
  const std::string of_all = first_of(environment, {"all_proxy", "ALL_PROXY"});
  const auto or_all = [&](std::string proxy) { return proxy.empty() ? of_all : std::move(proxy); };
  net::HttpClientOptions options;
  options.ca_file = environment("SSL_CERT_FILE").value_or("");
  options.proxies = net::HttpProxies{.http = or_all(first_of(environment, {"http_proxy"})),
                                     .https = or_all(first_of(environment, {"https_proxy", "HTTPS_PROXY"})),
                                     .not_for = first_of(environment, {"no_proxy", "NO_PROXY"})};
  return options;
}

}  // namespace

const std::vector<std::string>& connection_variables() {
  static const auto* const names =
      new std::vector<std::string>{"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                   "ALL_PROXY",  "no_proxy",    "NO_PROXY",    "SSL_CERT_FILE"};
  return *names;
}

Result<net::HttpClient*> HttpClients::of(const Environment& environment) {
  std::vector<std::string> said = said_of_connections(environment);
  if (said == said_of_connections(process_environment)) {
    return &net::process_http_client();
  }
  const MutexLock lock(remote_state_mutex());
  if (const auto known = others_.find(said); known != others_.end()) {
    return known->second.get();
  }
  if (others_.size() >= kMost) {
    return resource_exhausted("more than {} kinds of proxies and certificates in one process", kMost);
  }
  auto made = std::make_unique<net::HttpClient>(options_of(environment));
  return others_.emplace(std::move(said), std::move(made)).first->second.get();
}

Result<net::HttpClient*> http_client_of(const Environment& environment) {
  static auto* const clients = new HttpClients;  // threads use them at exit
  return clients->of(environment);
}

}  // namespace forebay::storage
