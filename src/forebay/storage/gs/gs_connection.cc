#include "forebay/storage/gs/gs_connection.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/gs/gs_json.h"
#include "forebay/storage/remote/while_wanted.h"

namespace forebay::storage {

class GsCall final : public ServiceCall {
 public:
  GsCall(std::shared_ptr<GsConnection> connection, RequestRef request)
      : connection_(std::move(connection)), request_(std::move(request)) {}

  void authorize(const CallContext& context, StatusCallback done) override {
    connection_->tokens_->get(while_wanted<GsTokenRef>(
        context, uri(), [this, done = std::move(done)](Result<GsTokenRef> token) mutable {
          if (token.ok()) {
            token_ = *token;
          }
          const bool is_open = token_ != nullptr && !may_take_secrets(connection_->endpoint_.url());
          done(is_open
                   ? permission_denied("a token does not travel in the clear; the endpoint has to be https")
                   : token.status());
        }));
  }

  Result<net::HttpRequest> http_request(const CallContext& context) override {
    const std::string query = net::canonical_query(request_->query);
    net::HttpRequest http = http_request_of(
        *request_, connection_->endpoint_.url() + request_->path + (query.empty() ? "" : "?") + query,
        context);
    if (token_ != nullptr) {
      http.headers.push_back({"Authorization", "Bearer " + token_->text});
    }
    return http;
  }

  bool is_success(const net::HttpResponse& answer) const override {
    return answer.is_success() || (request_->is_chunk && answer.status == 308);
  }

  bool goes_on(const Result<net::HttpResponse>& answer) override {
    if (!answer.ok() || answer->status != 401 || token_ == nullptr || has_renewed_) {
      return false;
    }
    has_renewed_ = true;
    connection_->tokens_->forget(token_);
    return true;
  }

  Status error_of(const net::HttpResponse& answer) const override { return gs_error(answer, uri()); }

 private:
  std::string uri() const { return connection_->uri_of(request_->key); }

  const std::shared_ptr<GsConnection> connection_;
  const RequestRef request_;
  GsTokenRef token_;
  bool has_renewed_ = false;
};

GsConnection::GsConnection(std::string bucket, GsOptions options, Endpoint endpoint,
                           std::shared_ptr<GsTokenSource> tokens, net::HttpClient& client, WallClock clock)
    : ServiceConnection(client, options.limits, options.retries, kMaxGsJsonBytes),
      bucket_(std::move(bucket)),
      options_(std::move(options)),
      endpoint_(std::move(endpoint)),
      tokens_(std::make_shared<RenewedSecret<GsToken>>(std::move(tokens), std::move(clock), "GCS tokens")) {
}

std::string GsConnection::uri_of(std::string_view key) const {
  return fmt::format("gs://{}/{}", bucket_, key);
}

std::string GsConnection::objects_path() const {
  return fmt::format("/storage/v1/b/{}/o", net::percent_encoded(bucket_));
}

std::string GsConnection::object_path(std::string_view key) const {
  return fmt::format("{}/{}", objects_path(), net::percent_encoded(key, false));
}

std::unique_ptr<ServiceCall> GsConnection::call_of(ServiceCall::RequestRef request) {
  return std::make_unique<GsCall>(std::static_pointer_cast<GsConnection>(shared_from_this()),
                                  std::move(request));
}

}  // namespace forebay::storage
