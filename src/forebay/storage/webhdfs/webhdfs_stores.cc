#include "forebay/storage/webhdfs/webhdfs_stores.h"

#include <utility>

#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/webhdfs/webhdfs_store.h"

namespace forebay::storage {
Result<std::shared_ptr<ObjectStore>> open_webhdfs_store(const std::string& scheme,
                                                        const std::string& authority,
                                                        const WebhdfsOptions& options,
                                                        const Environment& environment) {
  FOREBAY_ASSIGN_OR_RETURN(WebhdfsConfiguration configuration,
                           configure_webhdfs(scheme, authority, options, environment));
  FOREBAY_ASSIGN_OR_RETURN(net::HttpClient* const client, http_client_of(environment));
  auto connection = std::make_shared<WebhdfsConnection>(std::move(configuration), options, *client);
  auto costs = std::make_shared<CostModel>();
  return remote_store(std::make_shared<WebhdfsStore>(std::move(connection), costs), costs);
}

RemoteScheme<WebhdfsOptions> webhdfs_scheme() {
  return {.options = webhdfs_options(),
          .open = [](const Uri& uri, const WebhdfsOptions& options, const Environment& environment) {
            return open_webhdfs_store(uri.scheme, uri.authority, options, environment);
          }};
}

}  // namespace forebay::storage
