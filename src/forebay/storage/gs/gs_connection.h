// Sends requests about one bucket of Google Cloud Storage, with a token where there is one. A token that is
// refused is renewed once.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/net/aws_signature.h"
#include "forebay/net/http_client.h"
#include "forebay/storage/context.h"
#include "forebay/storage/gs/gs_credentials.h"
#include "forebay/storage/gs/gs_json.h"
#include "forebay/storage/gs/gs_options.h"

namespace forebay::storage {

struct GsRequest {
  std::string method = "GET";
  std::string key;         // for errors; empty: the bucket
  std::string path;        // percent-encoded; behind the endpoint
  net::AwsFields query;    // decoded
  net::AwsFields headers;  // besides the token
  Bytes body;              // valid until the answer
  net::BodyTargetOf body_target;
  size_t max_body_bytes = kMostGsJsonBytes;
  bool is_chunk = false;  // of an upload: 308 is no error
};

/// Thread safe. Answers come on the thread of the HTTP client, or inline before anything was sent. Requests
/// hold what they need, so the connection may go before they are answered.
class GsConnection : public std::enable_shared_from_this<GsConnection> {
 public:
  /// The answer, whose status is 2xx, or the error, which names the object.
  using Callback = absl::AnyInvocable<void(Result<net::HttpResponse>)>;

  GsConnection(std::string bucket, GsOptions options, Endpoint endpoint,
               std::shared_ptr<GsTokenSource> tokens, net::HttpClient& client,
               WallClock clock = wall_clock_seconds);

  const GsOptions& options() const { return options_; }
  const std::shared_ptr<RetryPolicy>& retries() const { return retries_; }
  std::string uri_of(std::string_view key) const;
  std::string service() const { return endpoint_.url(); }  // see ObjectStore

  /// The paths of an object, of all objects of the bucket, and of those that are uploaded.
  std::string object_path(std::string_view key) const;
  std::string objects_path() const;
  std::string upload_path() const { return "/upload" + objects_path(); }

  void send(GsRequest request, const CallContext& context, Callback done);

 private:
  friend class GsExchange;

  const std::string bucket_;
  const GsOptions options_;
  const Endpoint endpoint_;
  const std::shared_ptr<RenewedSecret<GsToken>> tokens_;
  net::HttpClient& client_;
  const std::shared_ptr<RetryPolicy> retries_;
};

}  // namespace forebay::storage
