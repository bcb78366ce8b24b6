// What all stores that speak HTTP stand on: proves who asks, keeps the limits, follows what the service
// corrects, and tries again. Nothing above it tries again, and nothing that it sends goes around its limits.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/net/aws_signature.h"
#include "forebay/net/client/http_client.h"
#include "forebay/storage/context.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/retried_call.h"

namespace forebay::storage {

struct ServiceRequest {
  std::string method = "GET";
  std::string key;         // for errors, and for the path where there is none; empty: the bucket
  std::string path;        // percent-encoded; behind the endpoint
  net::AwsFields query;    // decoded
  net::AwsFields headers;  // besides those that prove who asks
  Bytes body;              // valid until the answer
  std::string body_hash;   // net::sha256_hex() of the body; empty: to be computed where it is signed
  /// Where the body of the answer goes; called for each attempt, and for each namenode that is asked.
  net::BodyTargetOf body_target;
  uint64_t expected_bytes = 0;    // that `body_target` will take, if that is known
  size_t max_body_bytes = 0;      // of the answer; 0: what the service's small answers have
  int64_t stall_timeout_s = 0;    // of requests that the service itself works on for long; 0: the client's
  bool is_chunk = false;          // of an upload: 308 is no error
  bool is_repeatable = true;      // it has no other effect when it is sent twice
  std::shared_ptr<int> attempts;  // counts those of send(); may be null
};

/// The members of `request` that all services mean alike.
net::HttpRequest http_request_of(const ServiceRequest& request, std::string url, const CallContext& context);

/// One attempt of a request: how a service is asked, and what its answers mean.
class ServiceCall {
 public:
  using RequestRef = std::shared_ptr<ServiceRequest>;

  virtual ~ServiceCall() = default;

  /// Gets what proves who asks.
  virtual void authorize(const CallContext&, StatusCallback done) { done(ok_status()); }
  virtual Result<net::HttpRequest> http_request(const CallContext& context) = 0;
  virtual bool is_success(const net::HttpResponse& answer) const { return answer.is_success(); }
  /// Whether the request is to be sent again at once: the answer said what was wrong with it, or another host
  /// may know better. Each reason counts once.
  virtual bool goes_on(const Result<net::HttpResponse>&) { return false; }
  /// The error that an answer without success means; it names the object.
  virtual Status error_of(const net::HttpResponse& answer) const = 0;
};

/// Thread safe. Answers come on the thread of the HTTP client or of the timer, or inline before anything was
/// sent. Requests hold what they need, so the connection may go before they are answered.
class ServiceConnection : public std::enable_shared_from_this<ServiceConnection> {
 public:
  /// The answer, which is a success, or the error, which names the object.
  using Callback = absl::AnyInvocable<void(Result<net::HttpResponse>)>;

  /// `small_answer_bytes`: what answers have at most where a request does not say.
  ServiceConnection(net::HttpClient& client, const RateLimits& limits, const RetryOptions& retries,
                    size_t small_answer_bytes);
  virtual ~ServiceConnection() = default;

  virtual std::string uri_of(std::string_view key) const = 0;
  virtual std::string service() const = 0;  // see ObjectStore
  const std::shared_ptr<RetryPolicy>& retries() const { return retries_; }

  /// Sends the request, and a repeatable one again while it fails as `unavailable`: reads of content for as
  /// long as there is patience (RetryOptions), questions a few times, for what asks them may do without an
  /// answer.
  void send(ServiceRequest request, const CallContext& context, Callback done);

  /// Sends it once, for callers that try again themselves.
  void send_once(ServiceRequest request, const CallContext& context, Callback done);

  /// Sends a removal. A second attempt that finds nothing comes after one whose answer was lost.
  void send_removal(ServiceRequest request, const CallContext& context, StatusCallback done);

 protected:
  virtual std::unique_ptr<ServiceCall> call_of(ServiceCall::RequestRef request) = 0;

  /// Sends a request that goes elsewhere and is ready, once its turn has come. Errors do not name the object.
  void send_limited(net::HttpRequest request, const CallContext& context, Callback done);

 private:
  friend class ServiceExchange;

  void attempt(ServiceCall::RequestRef request, const CallContext& context, Callback done);
  void pass(uint64_t bytes, const CallContext& context, StatusCallback go);
  void correct(uint64_t expected_bytes, uint64_t moved_bytes);

  net::HttpClient& client_;
  const std::shared_ptr<RateLimiter> limiter_;  // null: no limit
  const std::shared_ptr<RetryPolicy> retries_;
  const size_t small_answer_bytes_;
};

}  // namespace forebay::storage
