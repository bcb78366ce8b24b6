// Sends requests about one bucket: locates, signs, and follows the server's corrections (another region, its
// clock, newer keys), each once.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/net/aws_signature.h"
#include "forebay/net/http_client.h"
#include "forebay/storage/context.h"
#include "forebay/storage/s3/s3_options.h"
#include "forebay/storage/s3/s3_xml.h"
#include "forebay/storage/s3_credentials/credentials.h"

namespace forebay::storage {

struct S3Request {
  std::string method = "GET";
  std::string key;                // empty: the bucket
  net::AwsFields query;           // decoded
  net::AwsFields headers;         // besides those of the signature
  Bytes body;                     // valid until the answer
  std::string body_hash;          // net::sha256_hex() of the body; empty: to be computed
  std::shared_ptr<int> attempts;  // counts those of send_repeatedly(); may be null
  net::BodyTargetOf body_target;
  size_t max_body_bytes = kMostXmlBytes;
  int64_t stall_timeout_s =
      0;  // of requests that S3 itself works on for long: kS3WorkTimeoutS; 0: the client's
};

/// S3 may be silent for so long while it copies or puts parts together.
inline constexpr int64_t kS3WorkTimeoutS = 600;

/// Thread safe. Answers come on the thread of the HTTP client, or inline before anything was sent. Requests
/// hold what they need, so the connection may go before they are answered.
class S3Connection : public std::enable_shared_from_this<S3Connection> {
 public:
  /// The answer, whose status is 2xx, or the error, which names the object.
  using Callback = absl::AnyInvocable<void(Result<net::HttpResponse>)>;

  S3Connection(std::string bucket, S3Options options, S3Configuration configuration,
               std::shared_ptr<CredentialsSource> credentials, net::HttpClient& client,
               WallClock clock = wall_clock_seconds);

  const std::string& bucket() const { return bucket_; }
  const S3Options& options() const { return options_; }
  const std::shared_ptr<RetryPolicy>& retries() const { return retries_; }
  std::string uri_of(std::string_view key) const;
  std::string service() const;  // see ObjectStore

  void send(S3Request request, const CallContext& context, Callback done);

  /// The same for requests without `body_target` that have no other effect when they are sent twice: tried
  /// again while they fail as `unavailable`. Failures that come with status 200 are errors, too.
  void send_repeatedly(S3Request request, const CallContext& context, Callback done);

 private:
  friend class S3Exchange;

  std::string region() const;
  void set_region(std::string region);
  int64_t server_seconds() const { return clock_() + clock_offset_s_.load(std::memory_order_relaxed); }

  const std::string bucket_;
  const S3Options options_;
  const S3Configuration configuration_;
  const std::shared_ptr<CachedCredentials> credentials_;
  net::HttpClient& client_;
  const WallClock clock_;
  const std::shared_ptr<RetryPolicy> retries_;
  std::atomic<int64_t> clock_offset_s_{0};  // the server's clock minus this machine's
  std::string region_;                      // guarded by remote_state_mutex()
};

}  // namespace forebay::storage
