// Sends requests about one HDFS: to the namenode that last answered, and where that is on standby or gone, to
// the next.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/net/aws_signature.h"
#include "forebay/net/http_client.h"
#include "forebay/storage/context.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"
#include "forebay/storage/webhdfs/webhdfs_options.h"

namespace forebay::storage {

struct WebhdfsRequest {
  std::string method = "GET";
  std::string operation;  // "GETFILESTATUS"
  std::string key;        // a slash at its end does not count
  net::AwsFields query;   // decoded; without the operation and who asks
  /// For OPEN, which is redirected to a datanode. May be called once for each namenode that was asked.
  net::BodyTargetOf body_target;
  size_t max_body_bytes = kMostWebhdfsJsonBytes;
  /// Whether another namenode may be asked after an answer was lost: the request has no effect, or the same
  /// one when it is sent twice.
  bool is_repeatable = true;
};

/// What one datanode is sent: the content of CREATE or APPEND.
struct WebhdfsContent {
  std::string method;     // PUT or POST
  std::string operation;  // CREATE or APPEND
  std::string key;
  net::AwsFields query;
  Bytes content;  // valid until the answer
  /// Whether the caller may send it again. Otherwise the question for a datanode is asked again here while
  /// that fails as `unavailable`: it has no effect.
  bool is_repeatable = true;
};

/// Thread safe. Answers come on the thread of the HTTP client, or inline before anything was sent. Requests
/// hold what they need, so the connection may go before they are answered.
class WebhdfsConnection : public std::enable_shared_from_this<WebhdfsConnection> {
 public:
  /// The answer, whose status is 2xx, or the error, which names the object.
  using Callback = absl::AnyInvocable<void(Result<net::HttpResponse>)>;

  WebhdfsConnection(WebhdfsConfiguration configuration, WebhdfsOptions options, net::HttpClient& client);

  const WebhdfsOptions& options() const { return options_; }
  const std::shared_ptr<RetryPolicy>& retries() const { return retries_; }
  std::string uri_of(std::string_view key) const;
  /// The absolute path in HDFS, without a slash at its end.
  std::string path_of(std::string_view key) const;

  void send(WebhdfsRequest request, const CallContext& context, Callback done);

  /// Asks the namenode for a datanode, then sends it the content.
  void send_content(WebhdfsContent content, const CallContext& context, StatusCallback done);

 private:
  friend class WebhdfsExchange;

  net::HttpRequest http_request(size_t namenode, const WebhdfsRequest& request,
                                const CallContext& context) const;
  Result<net::HttpRequest> datanode_request(const net::HttpResponse& answer, const WebhdfsContent& content,
                                            const CallContext& context) const;

  const WebhdfsConfiguration configuration_;
  const WebhdfsOptions options_;
  net::HttpClient& client_;
  const std::shared_ptr<RetryPolicy> retries_;
  std::atomic<size_t> active_{0};  // the namenode that last answered
};

}  // namespace forebay::storage
