// The connection to one bucket of Google Cloud Storage: its requests bring a path, and carry a token where
// there is one. A token that is refused is renewed once.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "forebay/storage/gs/gs_credentials.h"
#include "forebay/storage/gs/gs_options.h"
#include "forebay/storage/http/service_connection.h"

namespace forebay::storage {

class GsConnection final : public ServiceConnection {
 public:
  GsConnection(std::string bucket, GsOptions options, Endpoint endpoint,
               std::shared_ptr<GsTokenSource> tokens, net::HttpClient& client,
               WallClock clock = wall_clock_seconds);

  const GsOptions& options() const { return options_; }
  std::string uri_of(std::string_view key) const override;
  std::string service() const override { return endpoint_.url(); }

  /// The paths of an object, of all objects of the bucket, and of those that are uploaded.
  std::string object_path(std::string_view key) const;
  std::string objects_path() const;
  std::string upload_path() const { return "/upload" + objects_path(); }

 protected:
  std::unique_ptr<ServiceCall> call_of(ServiceCall::RequestRef request) override;

 private:
  friend class GsCall;

  const std::string bucket_;
  const GsOptions options_;
  const Endpoint endpoint_;
  const std::shared_ptr<RenewedSecret<GsToken>> tokens_;
};

}  // namespace forebay::storage
