#include "forebay/storage/http/http_site.h"

#include <utility>

#include "forebay/net/url.h"
#include "forebay/storage/http/urgency.h"

namespace forebay::storage {

std::string HttpSite::url_of(std::string_view key) const {
  if (options_.base_url.empty()) {
    return options_.scheme + "://" + net::percent_encoded_where_needed(key);
  }
  return options_.base_url + net::percent_encoded(key);
}

std::string HttpSite::uri_of(std::string_view key) const {
  return net::url_for_message(url_of(key));
}

std::string HttpSite::key_of(std::string_view folder, std::string_view name) const {
  const bool is_url = options_.base_url.empty();
  return std::string(folder).append(is_url ? net::percent_encoded(name) : std::string(name));
}

net::HttpRequest HttpSite::request(std::string method, std::string_view key,
                                   const CallContext& context) const {
  net::HttpRequest request;
  request.method = std::move(method);
  request.url = url_of(key);
  request.headers = options_.headers;
  request.headers.push_back({"Accept-Encoding", "identity"});
  request.urgency = urgency_of(context.priority);
  request.cancellation = context.cancellation;
  request.deadline_ns = context.deadline_ns;
  return request;
}

net::HttpClient& HttpSite::client() const {
  return options_.client ? *options_.client : net::process_http_client();
}

}  // namespace forebay::storage
