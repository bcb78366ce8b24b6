#include "forebay/storage/az/az_stores.h"

#include <utility>

#include "forebay/storage/az/az_store.h"
#include "forebay/storage/remote/remote_store.h"

namespace forebay::storage {
Result<std::shared_ptr<ObjectStore>> open_az_store(const std::string& container, const AzOptions& options,
                                                   const Environment& environment) {
  FOREBAY_RETURN_IF_ERROR(check_az_container(container));
  FOREBAY_ASSIGN_OR_RETURN(AzConfiguration configuration, configure_az(options, environment));
  auto connection = std::make_shared<AzConnection>(container, options, std::move(configuration),
                                                   net::process_http_client());
  auto costs = std::make_shared<CostModel>();
  return remote_store(std::make_shared<AzStore>(std::move(connection), costs), costs);
}

RemoteScheme<AzOptions> az_scheme() {
  return {.options = az_options(),
          .open = [](const Uri& uri, const AzOptions& options, const Environment& environment) {
            return open_az_store(uri.authority, options, environment);
          }};
}

}  // namespace forebay::storage
