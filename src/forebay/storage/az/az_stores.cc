#include "forebay/storage/az/az_stores.h"

#include <utility>

#include "forebay/storage/az/az_store.h"
#include "forebay/storage/remote/remote_store.h"

namespace forebay::storage {
Result<std::shared_ptr<ObjectStore>> open_az_store(const Uri& uri, const AzOptions& options,
                                                   const Environment& environment) {
  FOREBAY_ASSIGN_OR_RETURN(AzPlace place, parse_az_place(uri));
  FOREBAY_ASSIGN_OR_RETURN(AzConfiguration configuration, configure_az(options, environment, place));
  FOREBAY_ASSIGN_OR_RETURN(net::HttpClient* const client, http_client_of(environment));
  auto connection =
      std::make_shared<AzConnection>(uri.scheme + "://" + uri.authority, std::move(place.container), options,
                                     std::move(configuration), *client);
  auto costs = std::make_shared<CostModel>();
  return remote_store(std::make_shared<AzStore>(std::move(connection), costs), costs);
}

RemoteScheme<AzOptions> az_scheme() {
  return {.options = az_options(), .open = open_az_store};
}

}  // namespace forebay::storage
