#include "forebay/storage/gs/gs_connection.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/http/urgency.h"
#include "forebay/storage/remote/while_wanted.h"

namespace forebay::storage {

/// One request, with its second try.
class GsExchange : public std::enable_shared_from_this<GsExchange> {
 public:
  GsExchange(std::shared_ptr<GsConnection> connection, GsRequest request, CallContext context,
             GsConnection::Callback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    connection_->tokens_->get(
        while_wanted<GsTokenRef>(context_, uri(), [self = shared_from_this()](Result<GsTokenRef> token) {
          if (!token.ok()) {
            self->done_(named(token.status(), self->uri()));
            return;
          }
          self->token_ = *std::move(token);
          if (self->token_ != nullptr && !may_take_secrets(self->connection_->endpoint_.url())) {
            self->done_(permission_denied(
                "{}: a token does not travel in the clear; the endpoint has to be https", self->uri()));
            return;
          }
          self->send();
        }));
  }

 private:
  std::string uri() const { return connection_->uri_of(request_.key); }

  net::HttpRequest http_request() const {
    const std::string query = net::canonical_query(request_.query);
    net::HttpRequest http = {
        .method = request_.method,
        .url = connection_->endpoint_.url() + request_.path + (query.empty() ? "" : "?") + query,
        .body = request_.body,
        .max_body_bytes = request_.max_body_bytes,
        .follow_redirects = false,
        .urgency = urgency_of(context_.priority),
        .cancellation = context_.cancellation,
        .deadline_ns = context_.deadline_ns};
    for (const auto& [name, value] : request_.headers) {
      http.headers.push_back({name, value});
    }
    if (token_ != nullptr) {
      http.headers.push_back({"Authorization", "Bearer " + token_->text});
    }
    return http;
  }

  void send() {
    net::HttpRequest http = http_request();
    if (request_.body_target) {
      http.body_target = [self = shared_from_this()](const net::HttpResponse& head) {
        return self->request_.body_target(head);
      };
    }
    connection_->client_.send(std::move(http), [self = shared_from_this()](Result<net::HttpResponse> answer) {
      self->take(std::move(answer));
    });
  }

  void take(Result<net::HttpResponse> answer) {
    if (!answer.ok()) {
      done_(named(answer.status(), uri()));
    } else if (answer->is_success() || (request_.is_chunk && answer->status == 308)) {
      done_(std::move(answer));
    } else if (answer->status == 401 && token_ != nullptr && !std::exchange(has_renewed_, true)) {
      connection_->tokens_->forget(token_);
      start();
    } else {
      done_(gs_error(*answer, uri()));
    }
  }

  const std::shared_ptr<GsConnection> connection_;
  GsRequest request_;
  const CallContext context_;
  GsConnection::Callback done_;
  GsTokenRef token_;
  bool has_renewed_ = false;
};

GsConnection::GsConnection(std::string bucket, GsOptions options, Endpoint endpoint,
                           std::shared_ptr<GsTokenSource> tokens, net::HttpClient& client, WallClock clock)
    : bucket_(std::move(bucket)),
      options_(std::move(options)),
      endpoint_(std::move(endpoint)),
      tokens_(std::make_shared<RenewedSecret<GsToken>>(std::move(tokens), std::move(clock), "GCS tokens")),
      client_(client),
      retries_(std::make_shared<RetryPolicy>(options_.retries)) {
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

void GsConnection::send(GsRequest request, const CallContext& context, Callback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(request.key)));
    return;
  }
  std::make_shared<GsExchange>(shared_from_this(), std::move(request), context, std::move(done))->start();
}

}  // namespace forebay::storage
