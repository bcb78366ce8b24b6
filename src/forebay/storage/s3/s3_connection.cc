#include "forebay/storage/s3/s3_connection.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/remote/state_mutex.h"
#include "forebay/storage/remote/while_wanted.h"
#include "forebay/storage/s3/s3_errors.h"
#include "forebay/storage/s3/s3_xml.h"

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

class S3Call final : public ServiceCall {
 public:
  S3Call(std::shared_ptr<S3Connection> connection, RequestRef request)
      : connection_(std::move(connection)), request_(std::move(request)) {}

  void authorize(const CallContext& context, StatusCallback done) override {
    connection_->credentials_->get(while_wanted<CredentialsRef>(
        context, uri(), [this, done = std::move(done)](Result<CredentialsRef> keys) mutable {
          if (keys.ok()) {
            keys_ = *keys;
          }
          done(keys.status());
        }));
  }

  Result<net::HttpRequest> http_request(const CallContext& context) override {
    region_ = connection_->region();
    const S3Location location =
        locate(connection_->configuration_, region_, connection_->bucket_, request_->key);
    net::HttpRequest http =
        http_request_of(*request_, location.url(net::canonical_query(request_->query)), context);
    if (keys_ == nullptr) {
      return http;
    }
    net::AwsRequest to_sign = {.method = request_->method,
                               .path = location.path,
                               .query = request_->query,
                               .headers = request_->headers,
                               .payload_hash = request_->body_hash};
    to_sign.headers.emplace_back("host", location.host);
    for (auto& [name, value] : net::signing_headers(
             std::move(to_sign), {.unix_seconds = connection_->server_seconds(), .region = region_},
             keys_->keys)) {
      http.headers.push_back({name, value});
    }
    return http;
  }

  bool is_success(const net::HttpResponse& answer) const override {
    return answer.is_success() && !is_s3_failure(answer.body);
  }

  bool goes_on(const Result<net::HttpResponse>& answer) override {
    if (!answer.ok()) {
      return false;
    }
    const S3Failure failure = parse_s3_failure(answer->body);
    return corrects_region(*answer, failure) || corrects_clock(*answer, failure) ||
           corrects_keys(*answer, failure);
  }

  Status error_of(const net::HttpResponse& answer) const override {
    return answer.is_success() ? s3_error(parse_s3_failure(answer.body), uri()) : s3_error(answer, uri());
  }

 private:
  std::string uri() const { return connection_->uri_of(request_->key); }

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
        failure.code == "RequestTimeTooSkewed" || (answer.status == 403 && request_->method == "HEAD");
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
                                  (answer.status == 400 && request_->method == "HEAD");
    if (has_renewed_keys_ || !may_have_expired || keys_ == nullptr || keys_->keys.session_token.empty()) {
      return false;
    }
    has_renewed_keys_ = true;
    connection_->credentials_->forget(keys_);
    return true;
  }

  const std::shared_ptr<S3Connection> connection_;
  const RequestRef request_;
  CredentialsRef keys_;
  std::string region_;  // that the request was signed for
  bool has_corrected_region_ = false;
  bool has_corrected_clock_ = false;
  bool has_renewed_keys_ = false;
};

S3Connection::S3Connection(std::string bucket, S3Options options, S3Configuration configuration,
                           std::shared_ptr<CredentialsSource> credentials, net::HttpClient& client,
                           WallClock clock)
    : ServiceConnection(client, options.limits, options.retries, kMaxXmlBytes),
      bucket_(std::move(bucket)),
      options_(std::move(options)),
      configuration_(std::move(configuration)),
      credentials_(std::make_shared<CachedCredentials>(std::move(credentials), clock, "S3 credentials")),
      clock_(std::move(clock)),
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

std::unique_ptr<ServiceCall> S3Connection::call_of(ServiceCall::RequestRef request) {
  if (request->body_hash.empty()) {
    request->body_hash = net::sha256_hex(request->body);  // once, on the caller's thread
  }
  return std::make_unique<S3Call>(std::static_pointer_cast<S3Connection>(shared_from_this()),
                                  std::move(request));
}

}  // namespace forebay::storage
