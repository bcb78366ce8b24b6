#include "forebay/storage/http/http_site.h"

#include <utility>

#include "forebay/net/url.h"
#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
namespace {

class HttpCall final : public ServiceCall {
 public:
  HttpCall(std::shared_ptr<HttpSite> site, RequestRef request)
      : site_(std::move(site)), request_(std::move(request)) {}

  Result<net::HttpRequest> http_request(const CallContext& context) override {
    net::HttpRequest http = http_request_of(*request_, site_->url_of(request_->key), context);
    const std::vector<net::HttpHeader>& always = site_->options().headers;
    http.headers.insert(http.headers.begin(), always.begin(), always.end());
    http.headers.push_back({"Accept-Encoding", "identity"});
    http.follow_redirects = true;
    return http;
  }

  bool is_success(const net::HttpResponse& answer) const override {
    return answer.is_success() || error_of(answer).code() != StatusCode::kUnavailable;
  }

  Status error_of(const net::HttpResponse& answer) const override {
    return status_of_http(answer, site_->uri_of(request_->key));
  }

 private:
  const std::shared_ptr<HttpSite> site_;
  const RequestRef request_;
};

net::HttpClient& client_of(const HttpStoreOptions& options) {
  return options.client ? *options.client : net::process_http_client();
}

}  // namespace

HttpSite::HttpSite(HttpStoreOptions options)
    : ServiceConnection(client_of(options), options.limits, options.retries,
                        net::HttpRequest().max_body_bytes),
      options_(std::move(options)) {
}

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

std::string HttpSite::name_of(std::string_view key_part) const {
  const bool is_url = options_.base_url.empty();
  return is_url ? net::percent_decoded(key_part).value_or(std::string(key_part)) : std::string(key_part);
}

std::unique_ptr<ServiceCall> HttpSite::call_of(ServiceCall::RequestRef request) {
  return std::make_unique<HttpCall>(std::static_pointer_cast<HttpSite>(shared_from_this()),
                                    std::move(request));
}

}  // namespace forebay::storage
