#include "forebay/storage/az/az_connection.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/az/az_signature.h"
#include "forebay/storage/az/az_xml.h"

namespace forebay::storage {
namespace {

constexpr char kAzVersion[] = "2021-12-02";

}  // namespace

class AzCall final : public ServiceCall {
 public:
  AzCall(std::shared_ptr<AzConnection> connection, RequestRef request)
      : connection_(std::move(connection)), request_(std::move(request)) {}

  Result<net::HttpRequest> http_request(const CallContext& context) override {
    const AzConfiguration& configuration = connection_->configuration_;
    AzSignedRequest covered = {.method = request_->method,
                               .path = connection_->path_of(request_->key),
                               .query = request_->query,
                               .headers = request_->headers,
                               .content_bytes = request_->body.size()};
    covered.headers.emplace_back("x-ms-date", http_date(connection_->clock_()));
    covered.headers.emplace_back("x-ms-version", kAzVersion);
    net::AwsFields query = request_->query;
    query.insert(query.end(), configuration.sas.begin(), configuration.sas.end());
    const std::string query_text = net::canonical_query(query);
    net::HttpRequest http = http_request_of(
        *request_,
        fmt::format("{}://{}{}{}{}", configuration.endpoint.scheme, configuration.endpoint.host, covered.path,
                    query_text.empty() ? "" : "?", query_text),
        context);
    http.headers.clear();
    for (const auto& [name, value] : covered.headers) {
      http.headers.push_back({name, value});
    }
    if (!configuration.key.empty() && configuration.sas.empty()) {
      http.headers.push_back(
          {"Authorization", az_authorization(covered, configuration.account, configuration.key)});
    }
    return http;
  }

  Status error_of(const net::HttpResponse& answer) const override {
    return az_error(answer, connection_->uri_of(request_->key));
  }

 private:
  const std::shared_ptr<AzConnection> connection_;
  const RequestRef request_;
};

AzConnection::AzConnection(std::string base, std::string container, AzOptions options,
                           AzConfiguration configuration, net::HttpClient& client, WallClock clock)
    : ServiceConnection(client, options.limits, options.retries, kMaxAzXmlBytes),
      base_(std::move(base)),
      container_(std::move(container)),
      options_(std::move(options)),
      configuration_(std::move(configuration)),
      clock_(std::move(clock)) {
}

std::string AzConnection::uri_of(std::string_view key) const {
  return fmt::format("{}/{}", base_, key);
}

std::string AzConnection::path_of(std::string_view key) const {
  return fmt::format("{}/{}{}{}", configuration_.endpoint.path, container_, key.empty() ? "" : "/",
                     net::percent_encoded(key));
}

std::string AzConnection::url_of(std::string_view key) const {
  const std::string query = net::canonical_query(configuration_.sas);
  return fmt::format("{}://{}{}{}{}", configuration_.endpoint.scheme, configuration_.endpoint.host,
                     path_of(key), query.empty() ? "" : "?", query);
}

std::unique_ptr<ServiceCall> AzConnection::call_of(ServiceCall::RequestRef request) {
  return std::make_unique<AzCall>(std::static_pointer_cast<AzConnection>(shared_from_this()),
                                  std::move(request));
}

}  // namespace forebay::storage
