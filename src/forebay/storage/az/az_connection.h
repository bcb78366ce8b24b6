// Sends requests about one container of Azure's blobs, signed by the account's key, with a shared access
// signature, or without proof.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/net/aws_signature.h"
#include "forebay/net/http_client.h"
#include "forebay/storage/az/az_options.h"
#include "forebay/storage/az/az_xml.h"
#include "forebay/storage/context.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {

struct AzRequest {
  std::string method = "GET";
  std::string key;         // empty: the container
  net::AwsFields query;    // decoded
  net::AwsFields headers;  // besides those of the signature
  Bytes body;              // valid until the answer
  net::BodyTargetOf body_target;
  size_t max_body_bytes = kMostAzXmlBytes;
  std::shared_ptr<int> attempts;  // counts those of send_repeatedly(); may be null
};

/// Thread safe. Answers come on the thread of the HTTP client, or inline before anything was sent. Requests
/// hold what they need, so the connection may go before they are answered.
class AzConnection : public std::enable_shared_from_this<AzConnection> {
 public:
  /// The answer, whose status is 2xx, or the error, which names the object.
  using Callback = absl::AnyInvocable<void(Result<net::HttpResponse>)>;

  AzConnection(std::string container, AzOptions options, AzConfiguration configuration,
               net::HttpClient& client, WallClock clock = wall_clock_seconds);

  const AzOptions& options() const { return options_; }
  const std::shared_ptr<RetryPolicy>& retries() const { return retries_; }
  std::string uri_of(std::string_view key) const;
  std::string service() const { return configuration_.endpoint.url(); }  // see ObjectStore; names the account
  /// The URL of a blob as another request names it; with the shared access signature, if there is one.
  /// Secret.
  std::string url_of(std::string_view key) const;

  void send(AzRequest request, const CallContext& context, Callback done);

  /// The same for requests without `body_target` that have no other effect when they are sent twice: tried
  /// again while they fail as `unavailable`.
  void send_repeatedly(AzRequest request, const CallContext& context, Callback done);

 private:
  std::string path_of(std::string_view key) const;
  net::HttpRequest http_request(const AzRequest& request, const CallContext& context) const;

  const std::string container_;
  const AzOptions options_;
  const AzConfiguration configuration_;
  net::HttpClient& client_;
  const WallClock clock_;
  const std::shared_ptr<RetryPolicy> retries_;
};

}  // namespace forebay::storage
