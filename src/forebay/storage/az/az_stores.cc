#include "forebay/storage/az/az_stores.h"

#include <array>
#include <utility>

#include "forebay/storage/az/az_store.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr std::array kAzVariables = {"AZURE_STORAGE_ACCOUNT",   "AZURE_STORAGE_KEY",
                                     "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING",
                                     "AZURE_STORAGE_ENDPOINT",  "FOREBAY_AZ_ANONYMOUS"};

}  // namespace

Result<std::shared_ptr<ObjectStore>> open_az_store(const std::string& container, const AzOptions& options,
                                                   const Environment& environment) {
  FOREBAY_RETURN_IF_ERROR(check_az_container(container));
  FOREBAY_ASSIGN_OR_RETURN(AzConfiguration configuration, configure_az(options, environment));
  auto connection = std::make_shared<AzConnection>(container, options, std::move(configuration),
                                                   net::process_http_client());
  auto costs = std::make_shared<CostModel>();
  return remote_service_store(std::make_shared<AzStore>(std::move(connection), costs), costs, options.limits,
                              options.retries);
}

StoreRegistry::Factory az_factory() {
  return [](const Uri& uri, const StoreOptions& given) -> Result<ObjectAddress> {
    const auto open = [&](const std::string& identity) -> Result<std::shared_ptr<ObjectStore>> {
      FOREBAY_ASSIGN_OR_RETURN(AzOptions options, parse_az_options(given));
      options.limits.shared_as = identity;
      return open_az_store(uri.authority, options);
    };
    Result<std::shared_ptr<ObjectStore>> store =
        find_or_open_store(store_identity("az://" + uri.authority, given, kAzVariables), open);
    FOREBAY_RETURN_IF_ERROR(annotate(store.status(), uri_for_message(uri.to_string())));
    return ObjectAddress{*std::move(store), uri.path.empty() ? "" : uri.path.substr(1)};
  };
}

}  // namespace forebay::storage
