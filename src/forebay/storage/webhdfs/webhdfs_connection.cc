#include "forebay/storage/webhdfs/webhdfs_connection.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/urgency.h"

namespace forebay::storage {
namespace {

/// The header that all requests have; what is read or written is bytes to the server. Made for each: a
/// request may be tried again while the process's statics go.
net::HttpHeader content_type() {
  return {"Content-Type", "application/octet-stream"};
}

}  // namespace

/// One request, until a namenode has answered it.
class WebhdfsExchange : public std::enable_shared_from_this<WebhdfsExchange> {
 public:
  WebhdfsExchange(std::shared_ptr<WebhdfsConnection> connection, WebhdfsRequest request, CallContext context,
                  WebhdfsConnection::Callback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)),
        uri_(connection_->uri_of(request_.key)),
        namenode_(connection_->active_.load(std::memory_order_relaxed)) {}

  void start() {
    if (const Status valid = check_webhdfs_key(request_.key, uri_); !valid.ok()) {
      done_(valid);
    } else if (!is_wanted(context_)) {
      done_(not_wanted(context_, uri_));
    } else {
      ask();
    }
  }

 private:
  void ask() {
    ++asked_;
    net::HttpRequest http = connection_->http_request(namenode_, request_, context_);
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
    // A write's redirect, which a server that does not know "noredirect" sends, is the answer.
    const bool is_success = answer.ok() && (answer->is_success() || answer->status == 307);
    if (is_success) {
      connection_->active_.store(namenode_, std::memory_order_relaxed);
      done_(std::move(answer));
      return;
    }
    const ServiceFailure failure = answer.ok() ? webhdfs_failure(*answer) : ServiceFailure();
    const bool is_on_standby = failure.code == "StandbyException";
    const Status error = error_of(answer, failure);
    const bool is_lost = error.code() == StatusCode::kUnavailable && request_.is_repeatable;
    const size_t namenodes = connection_->configuration_.namenodes.size();
    if ((is_on_standby || is_lost) && asked_ < namenodes && is_wanted(context_)) {
      first_error_.Update(is_on_standby ? ok_status() : error);
      namenode_ = (namenode_ + 1) % namenodes;
      ask();
      return;
    }
    done_(is_on_standby && !first_error_.ok() ? first_error_ : error);
  }

  Status error_of(const Result<net::HttpResponse>& answer, const ServiceFailure& failure) const {
    if (!answer.ok()) {
      return named(answer.status(), uri_);
    }
    const bool looks_below_a_file = request_.method == "GET" && failure.code == kBelowAFile;
    return looks_below_a_file ? no_such_object(uri_) : webhdfs_error(*answer, uri_);
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  WebhdfsRequest request_;
  const CallContext context_;
  WebhdfsConnection::Callback done_;
  const std::string uri_;
  size_t namenode_;
  size_t asked_ = 0;
  Status first_error_;  // of a namenode that was not on standby
};

WebhdfsConnection::WebhdfsConnection(WebhdfsConfiguration configuration, WebhdfsOptions options,
                                     net::HttpClient& client)
    : configuration_(std::move(configuration)),
      options_(std::move(options)),
      client_(client),
      retries_(std::make_shared<RetryPolicy>(options_.retries)) {
}

std::string WebhdfsConnection::uri_of(std::string_view key) const {
  return fmt::format("{}://{}{}/{}", configuration_.scheme, configuration_.authority, configuration_.root,
                     key);
}

std::string WebhdfsConnection::path_of(std::string_view key) const {
  key.remove_suffix(key.ends_with('/') ? 1 : 0);
  const std::string path = fmt::format("{}{}{}", configuration_.root, key.empty() ? "" : "/", key);
  return path.empty() ? "/" : path;
}

net::HttpRequest WebhdfsConnection::http_request(size_t namenode, const WebhdfsRequest& request,
                                                 const CallContext& context) const {
  net::AwsFields query = request.query;
  query.emplace_back("op", request.operation);
  if (!configuration_.token.empty()) {
    query.emplace_back("delegation", configuration_.token);
  } else if (!configuration_.user.empty()) {
    query.emplace_back("user.name", configuration_.user);
  }
  return {.method = request.method,
          .url = fmt::format("{}/webhdfs/v1{}?{}", configuration_.namenodes[namenode].url(),
                             net::percent_encoded(path_of(request.key)), net::canonical_query(query)),
          .headers = {content_type()},
          .max_body_bytes = request.max_body_bytes,
          .follow_redirects = request.method == "GET",
          .urgency = urgency_of(context.priority),
          .cancellation = context.cancellation,
          .deadline_ns = context.deadline_ns};
}

void WebhdfsConnection::send(WebhdfsRequest request, const CallContext& context, Callback done) {
  std::make_shared<WebhdfsExchange>(shared_from_this(), std::move(request), context, std::move(done))
      ->start();
}

Result<net::HttpRequest> WebhdfsConnection::datanode_request(const net::HttpResponse& answer,
                                                             const WebhdfsContent& content,
                                                             const CallContext& context) const {
  const std::string* const header = answer.header("Location");
  std::string location = header != nullptr ? *header : "";
  if (answer.is_success()) {
    FOREBAY_ASSIGN_OR_RETURN(location, parse_webhdfs_location(answer.body));
  }
  FOREBAY_ASSIGN_OR_RETURN(std::string url, net::resolve_url(answer.url, location));
  if (answer.url.starts_with("https://") && !url.starts_with("https://")) {
    return failed_precondition("a redirect from https to {}, which is not followed",
                               net::url_for_message(url));
  }
  return net::HttpRequest{.method = content.method,
                          .url = std::move(url),
                          .headers = {content_type()},
                          .body = content.content,
                          .max_body_bytes = kMostWebhdfsJsonBytes,
                          .follow_redirects = false,
                          .urgency = urgency_of(context.priority),
                          .cancellation = context.cancellation,
                          .deadline_ns = context.deadline_ns};
}

void WebhdfsConnection::send_content(WebhdfsContent content, const CallContext& context,
                                     StatusCallback done) {
  const auto shared = std::make_shared<const WebhdfsContent>(std::move(content));
  const auto ask = [self = shared_from_this(), shared](const CallContext& attempt, Callback next) {
    WebhdfsRequest question = {
        .method = shared->method, .operation = shared->operation, .key = shared->key, .query = shared->query};
    question.query.emplace_back("noredirect", "true");
    self->send(std::move(question), attempt, std::move(next));
  };
  auto take = [self = shared_from_this(), shared, context,
               done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
    Result<net::HttpRequest> request =
        answer.ok() ? self->datanode_request(*answer, *shared, context) : answer.status();
    const std::string uri = self->uri_of(shared->key);
    if (!request.ok()) {
      done(named(request.status(), uri));
      return;
    }
    self->client_.send(*std::move(request),
                       [uri, done = std::move(done)](const Result<net::HttpResponse>& written) mutable {
                         done(!written.ok()           ? named(written.status(), uri)
                              : written->is_success() ? ok_status()
                                                      : webhdfs_error(*written, uri));
                       });
  };
  if (shared->is_repeatable) {
    ask(context, std::move(take));
  } else {
    call_with_retries<net::HttpResponse>(retries_, context, ask, std::move(take));
  }
}

}  // namespace forebay::storage
