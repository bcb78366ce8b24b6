// The connection to one HDFS: asks the namenode that last answered, and where that is on standby or gone, the
// next. A repeatable request may so be sent to several.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/net/aws_signature.h"
#include "forebay/storage/http/service_connection.h"
#include "forebay/storage/webhdfs/webhdfs_options.h"

namespace forebay::storage {

/// A question for a namenode. A slash at the key's end does not count. GET is redirected to a datanode.
ServiceRequest webhdfs_request(std::string method, const std::string& operation, std::string key,
                               net::AwsFields query = {});

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

class WebhdfsConnection final : public ServiceConnection {
 public:
  WebhdfsConnection(WebhdfsConfiguration configuration, WebhdfsOptions options, net::HttpClient& client);

  const WebhdfsOptions& options() const { return options_; }
  std::string uri_of(std::string_view key) const override;
  std::string service() const override { return {}; }  // the URI names it
  /// The absolute path in HDFS, without a slash at its end.
  std::string path_of(std::string_view key) const;

  /// Asks the namenode for a datanode, then sends it the content.
  void send_content(WebhdfsContent content, const CallContext& context, StatusCallback done);

 protected:
  std::unique_ptr<ServiceCall> call_of(ServiceCall::RequestRef request) override;

 private:
  friend class WebhdfsCall;

  Result<net::HttpRequest> datanode_request(const net::HttpResponse& answer, const WebhdfsContent& content,
                                            const CallContext& context) const;

  const WebhdfsConfiguration configuration_;
  const WebhdfsOptions options_;
  std::atomic<size_t> active_{0};  // the namenode that last answered
};

}  // namespace forebay::storage
