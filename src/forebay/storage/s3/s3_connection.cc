#include "forebay/storage/s3/s3_connection.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/http/urgency.h"
#include "forebay/storage/remote/state_mutex.h"
#include "forebay/storage/remote/while_wanted.h"
#include "forebay/storage/s3/s3_errors.h"

namespace forebay::storage {
namespace {

constexpr int64_t kToleratedSkewSeconds = 240;  // S3 refuses a quarter of an hour

bool is_region_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// The region in which the server says that the bucket is; empty if it says nothing.
std::string bucket_region(const net::HttpResponse& answer, const S3Failure& failure) {
  const std::string* const header = answer.header("x-amz-bucket-region");
  const std::string& region = header != nullptr ? *header : failure.region;
  return is_region_name(region) ? region : std::string();
}

}  // namespace

/// One request with its second tries.
class S3Exchange : public std::enable_shared_from_this<S3Exchange> {
 public:
  S3Exchange(std::shared_ptr<S3Connection> connection, S3Request request, CallContext context,
             S3Connection::Callback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    connection_->credentials_->get(while_wanted<CredentialsRef>(
        context_, uri(), [self = shared_from_this()](Result<CredentialsRef> keys) {
          if (!keys.ok()) {
            self->done_(named(keys.status(), self->uri()));
            return;
          }
          self->keys_ = *std::move(keys);
          self->send();
        }));
  }

 private:
  std::string uri() const { return connection_->uri_of(request_.key); }

  net::HttpRequest signed_request() {
    region_ = connection_->region();
    const S3Location location =
        locate(connection_->configuration_, region_, connection_->bucket_, request_.key);
    net::AwsFields headers = request_.headers;
    if (keys_ != nullptr) {
      net::AwsRequest to_sign = {.method = request_.method,
                                 .path = location.path,
                                 .query = request_.query,
                                 .headers = request_.headers,
                                 .payload_hash = request_.body_hash};
      to_sign.headers.emplace_back("host", location.host);
      const net::AwsFields added = net::signing_headers(
          std::move(to_sign), {.unix_seconds = connection_->server_seconds(), .region = region_},
          keys_->keys);
      headers.insert(headers.end(), added.begin(), added.end());
    }
    net::HttpRequest http = {.method = request_.method,
                             .url = location.url(net::canonical_query(request_.query)),
                             .body = request_.body,
                             .max_body_bytes = request_.max_body_bytes,
                             .follow_redirects = false,
                             .urgency = urgency_of(context_.priority),
                             .stall_timeout_s = request_.stall_timeout_s,
                             .cancellation = context_.cancellation,
                             .deadline_ns = context_.deadline_ns};
    for (auto& [name, value] : headers) {
      http.headers.push_back({std::move(name), std::move(value)});
    }
    return http;
  }

  void send() {
    net::HttpRequest http = signed_request();
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
      done_(named(answer.status(), uri()));  // unless who looked at the head did
    } else if (answer->is_success()) {
      done_(std::move(answer));
    } else if (is_corrected(*answer)) {
      start();
    } else {
      done_(s3_error(*answer, uri()));
    }
  }

  /// Whether the server said what was wrong with the request, and another try may be right.
  bool is_corrected(const net::HttpResponse& answer) {
    const S3Failure failure = parse_s3_failure(answer.body);
    return corrects_region(answer, failure) || corrects_clock(answer, failure) ||
           corrects_keys(answer, failure);
  }

  bool corrects_region(const net::HttpResponse& answer, const S3Failure& failure) {
    const std::string found = bucket_region(answer, failure);
    if (has_corrected_region_ || found.empty() || found == region_) {
      return false;
    }
    has_corrected_region_ = true;
    connection_->set_region(found);
    return true;
  }

  bool corrects_clock(const net::HttpResponse& answer, const S3Failure& failure) {
    const bool may_be_skewed =
        failure.code == "RequestTimeTooSkewed" || (answer.status == 403 && request_.method == "HEAD");
    const std::string* const date = answer.header("Date");
    const int64_t here = connection_->server_seconds();
    const int64_t there = date != nullptr ? net::parse_http_date(*date).value_or(here) : here;
    if (has_corrected_clock_ || !may_be_skewed || std::abs(there - here) < kToleratedSkewSeconds) {
      return false;
    }
    has_corrected_clock_ = true;
    connection_->clock_offset_s_.store(there - connection_->clock_(), std::memory_order_relaxed);
    return true;
  }

  bool corrects_keys(const net::HttpResponse& answer, const S3Failure& failure) {
    const bool may_have_expired = failure.code == "ExpiredToken" || failure.code == "TokenRefreshRequired" ||
                                  (answer.status == 400 && request_.method == "HEAD");
    if (has_renewed_keys_ || !may_have_expired || keys_ == nullptr || keys_->keys.session_token.empty()) {
      return false;
    }
    has_renewed_keys_ = true;
    connection_->credentials_->forget(keys_);
    return true;
  }

  const std::shared_ptr<S3Connection> connection_;
  S3Request request_;
  const CallContext context_;
  S3Connection::Callback done_;
  CredentialsRef keys_;
  std::string region_;  // that the request was signed for
  bool has_corrected_region_ = false;
  bool has_corrected_clock_ = false;
  bool has_renewed_keys_ = false;
};

S3Connection::S3Connection(std::string bucket, S3Options options, S3Configuration configuration,
                           std::shared_ptr<CredentialsSource> credentials, net::HttpClient& client,
                           WallClock clock)
    : bucket_(std::move(bucket)),
      options_(std::move(options)),
      configuration_(std::move(configuration)),
      credentials_(std::make_shared<CachedCredentials>(std::move(credentials), clock, "S3 credentials")),
      client_(client),
      clock_(std::move(clock)),
      retries_(std::make_shared<RetryPolicy>(options_.retries)),
      region_(configuration_.region) {
}

std::string S3Connection::uri_of(std::string_view key) const {
  return fmt::format("s3://{}/{}", bucket_, key);
}

// Of AWS's own buckets, a name says all within a partition, which the last part of the host's name tells.
std::string S3Connection::service() const {
  const std::string host = configuration_.endpoint_in(configuration_.region).host;
  return configuration_.endpoint ? configuration_.endpoint->url() : host.substr(host.rfind("amazonaws"));
}

std::string S3Connection::region() const {
  const MutexLock lock(remote_state_mutex());
  return region_;
}

void S3Connection::set_region(std::string region) {
  const MutexLock lock(remote_state_mutex());
  region_ = std::move(region);
}

void S3Connection::send(S3Request request, const CallContext& context, Callback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(request.key)));
    return;
  }
  if (request.body_hash.empty()) {
    request.body_hash = net::sha256_hex(request.body);
  }
  std::make_shared<S3Exchange>(shared_from_this(), std::move(request), context, std::move(done))->start();
}

void S3Connection::send_repeatedly(S3Request request, const CallContext& context, Callback done) {
  if (request.body_hash.empty()) {
    request.body_hash = net::sha256_hex(request.body);
  }
  const auto attempt = [self = shared_from_this(),
                        given = std::make_shared<const S3Request>(std::move(request))](
                           const CallContext& its_context, Callback next) {
    if (given->attempts) {
      ++*given->attempts;
    }
    S3Request again = {.method = given->method,
                       .key = given->key,
                       .query = given->query,
                       .headers = given->headers,
                       .body = given->body,
                       .body_hash = given->body_hash,
                       .attempts = nullptr,
                       .body_target = nullptr,
                       .max_body_bytes = given->max_body_bytes,
                       .stall_timeout_s = given->stall_timeout_s};
    self->send(std::move(again), its_context,
               [self, given, next = std::move(next)](Result<net::HttpResponse> answer) mutable {
                 const bool is_failure = answer.ok() && is_s3_failure(answer->body);
                 next(is_failure ? s3_error(parse_s3_failure(answer->body), self->uri_of(given->key))
                                 : std::move(answer));
               });
  };
  call_with_retries<net::HttpResponse>(retries_, context, attempt, std::move(done));
}

}  // namespace forebay::storage
