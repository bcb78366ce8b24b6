// The connection to one container of Azure's blobs: signed by the account's key, with a shared access
// signature, or without proof.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "forebay/storage/az/az_options.h"
#include "forebay/storage/http/service_connection.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {

class AzConnection final : public ServiceConnection {
 public:
  /// `base`: the URI of the container, as names of blobs begin with it: "az://container".
  AzConnection(std::string base, std::string container, AzOptions options, AzConfiguration configuration,
               net::HttpClient& client, WallClock clock = wall_clock_seconds);

  const AzOptions& options() const { return options_; }
  std::string uri_of(std::string_view key) const override;
  std::string service() const override { return configuration_.endpoint.url(); }  // names the account
  /// The URL of a blob as another request names it; with the shared access signature, if there is one.
  /// Secret.
  std::string url_of(std::string_view key) const;

 protected:
  std::unique_ptr<ServiceCall> call_of(ServiceCall::RequestRef request) override;

 private:
  friend class AzCall;

  std::string path_of(std::string_view key) const;

  const std::string base_;
  const std::string container_;
  const AzOptions options_;
  const AzConfiguration configuration_;
  const WallClock clock_;
};

}  // namespace forebay::storage
