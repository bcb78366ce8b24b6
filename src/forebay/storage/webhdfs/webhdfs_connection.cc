#include "forebay/storage/webhdfs/webhdfs_connection.h"

#include <utility>

#include "fmt/format.h"
#include "forebay/net/url.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/urgency.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"

namespace forebay::storage {
namespace {

/// The header that all requests have; what is read or written is bytes to the server. Made for each: a
/// request may be tried again while the process's statics go.
net::HttpHeader content_type() {
  return {"Content-Type", "application/octet-stream"};
}

}  // namespace

class WebhdfsCall final : public ServiceCall {
 public:
  WebhdfsCall(std::shared_ptr<WebhdfsConnection> connection, RequestRef request)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        namenode_(connection_->active_.load(std::memory_order_relaxed)) {}

  Result<net::HttpRequest> http_request(const CallContext& context) override {
    FOREBAY_RETURN_IF_ERROR(check_webhdfs_key(request_->key, uri()));
    const WebhdfsConfiguration& configuration = connection_->configuration_;
    net::AwsFields query = request_->query;
    if (!configuration.token.empty()) {
      query.emplace_back("delegation", configuration.token);
    } else if (!configuration.user.empty()) {
      query.emplace_back("user.name", configuration.user);
    }
    net::HttpRequest http = http_request_of(
        *request_,
        fmt::format("{}/webhdfs/v1{}?{}", configuration.namenodes[namenode_].url(),
                    net::percent_encoded(connection_->path_of(request_->key)), net::canonical_query(query)),
        context);
    http.headers.push_back(content_type());
    http.follow_redirects = request_->method == "GET";
    return http;
  }

  /// A write's redirect, which a server that does not know "noredirect" sends, is the answer.
  bool is_success(const net::HttpResponse& answer) const override {
    const bool is_answer = answer.is_success() || answer.status == 307;
    if (is_answer) {
      connection_->active_.store(namenode_, std::memory_order_relaxed);
    }
    return is_answer;
  }

  bool goes_on(const Result<net::HttpResponse>& answer) override {
    const bool is_standby = answer.ok() && is_on_standby(*answer);
    const Status error = answer.ok() ? own_error_of(*answer) : answer.status();
    const bool is_lost = error.code() == StatusCode::kUnavailable && request_->is_repeatable;
    const size_t namenodes = connection_->configuration_.namenodes.size();
    if ((!is_standby && !is_lost) || ++asked_ >= namenodes) {
      return false;
    }
    first_error_.Update(is_standby ? ok_status() : named(error, uri()));
    if (is_lost && request_->attempts) {
      ++*request_->attempts;
    }
    namenode_ = (namenode_ + 1) % namenodes;
    return true;
  }

  Status error_of(const net::HttpResponse& answer) const override {
    return is_on_standby(answer) && !first_error_.ok() ? first_error_ : own_error_of(answer);
  }

 private:
  std::string uri() const { return connection_->uri_of(request_->key); }

  static bool is_on_standby(const net::HttpResponse& answer) {
    return webhdfs_failure(answer).code == "StandbyException";
  }

  Status own_error_of(const net::HttpResponse& answer) const {
    const bool looks_below_a_file = request_->method == "GET" && webhdfs_failure(answer).code == kBelowAFile;
    return looks_below_a_file ? no_such_object(uri()) : webhdfs_error(answer, uri());
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  const RequestRef request_;
  size_t namenode_;
  size_t asked_ = 0;
  Status first_error_;  // of a namenode that was not on standby
};

ServiceRequest webhdfs_request(std::string method, const std::string& operation, std::string key,
                               net::AwsFields query) {
  query.emplace_back("op", operation);
  return {.method = std::move(method), .key = std::move(key), .query = std::move(query)};
}

WebhdfsConnection::WebhdfsConnection(WebhdfsConfiguration configuration, WebhdfsOptions options,
                                     net::HttpClient& client)
    : ServiceConnection(client, options.limits, options.retries, kMaxWebhdfsJsonBytes),
      configuration_(std::move(configuration)),
      options_(std::move(options)) {
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

std::unique_ptr<ServiceCall> WebhdfsConnection::call_of(ServiceCall::RequestRef request) {
  return std::make_unique<WebhdfsCall>(std::static_pointer_cast<WebhdfsConnection>(shared_from_this()),
                                       std::move(request));
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
                          .max_body_bytes = kMaxWebhdfsJsonBytes,
                          .follow_redirects = false,
                          .urgency = urgency_of(context.priority),
                          .cancellation = context.cancellation,
                          .deadline_ns = context.deadline_ns};
}

void WebhdfsConnection::send_content(WebhdfsContent content, const CallContext& context,
                                     StatusCallback done) {
  ServiceRequest question = webhdfs_request(content.method, content.operation, content.key, content.query);
  question.query.emplace_back("noredirect", "true");
  const auto self = std::static_pointer_cast<WebhdfsConnection>(shared_from_this());
  const bool is_repeatable = content.is_repeatable;
  auto take = [self, content = std::move(content), context,
               done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
    const std::string uri = self->uri_of(content.key);
    Result<net::HttpRequest> request =
        answer.ok() ? self->datanode_request(*answer, content, context) : answer.status();
    if (!request.ok()) {
      done(named(request.status(), uri));
      return;
    }
    self->send_limited(*std::move(request), context,
                       [uri, done = std::move(done)](const Result<net::HttpResponse>& written) mutable {
                         done(!written.ok()           ? named(written.status(), uri)
                              : written->is_success() ? ok_status()
                                                      : webhdfs_error(*written, uri));
                       });
  };
  if (is_repeatable) {
    send_once(std::move(question), context, std::move(take));
  } else {
    send(std::move(question), context, std::move(take));
  }
}

}  // namespace forebay::storage
