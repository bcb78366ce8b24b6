#include "forebay/storage/gs/gs_stores.h"

#include <utility>

#include "forebay/storage/gs/gs_store.h"
#include "forebay/storage/remote/metadata_client.h"
#include "forebay/storage/remote/remote_store.h"

namespace forebay::storage {
Result<std::shared_ptr<ObjectStore>> open_gs_store(const std::string& bucket, const GsOptions& options,
                                                   const Environment& environment) {
  FOREBAY_RETURN_IF_ERROR(check_gs_bucket(bucket));
  FOREBAY_ASSIGN_OR_RETURN(Endpoint endpoint, gs_endpoint(options, environment));
  FOREBAY_ASSIGN_OR_RETURN(net::HttpClient* const client, http_client_of(environment));
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<GsTokenSource> tokens,
                           gs_token_source(options, environment, metadata_client(), *client));
  auto connection =
      std::make_shared<GsConnection>(bucket, options, std::move(endpoint), std::move(tokens), *client);
  auto costs = std::make_shared<CostModel>();
  return remote_store(std::make_shared<GsStore>(std::move(connection), costs), costs);
}

RemoteScheme<GsOptions> gs_scheme() {
  return {.options = gs_options(),
          .variables = {"GCE_METADATA_HOST", "NO_GCE_CHECK", "HOME"},
          .open = [](const Uri& uri, const GsOptions& options, const Environment& environment) {
            return open_gs_store(uri.authority, options, environment);
          }};
}

}  // namespace forebay::storage
