#include "forebay/storage/az/az_stores.h"

#include <algorithm>
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

/// The account that the URI names becomes an option, where the options name none.
std::pair<Uri, StoreOptions> without_account(Uri uri, StoreOptions options) {
  const size_t at = uri.scheme == "az" ? std::string::npos : uri.authority.find('@');
  if (at != std::string::npos) {
    const std::string host = uri.authority.substr(at + 1);
    const std::string account = host.substr(0, host.find('.'));
    const std::string rest = host.substr(std::min(account.size(), host.size()));
    uri.authority.resize(at);
    options.emplace("account", account);
    constexpr std::string_view kOfFiles = ".dfs.";
    if (rest.starts_with(kOfFiles) && rest != ".dfs.core.windows.net") {
      options.emplace("endpoint", "https://" + account + ".blob." + rest.substr(kOfFiles.size()));
    }
  }
  uri.scheme = "az";
  return {std::move(uri), std::move(options)};
}

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
  return [](const Uri& given_uri, const StoreOptions& given_options) -> Result<ObjectAddress> {
    const std::pair<Uri, StoreOptions> named = without_account(given_uri, given_options);
    const Uri& uri = named.first;
    const StoreOptions& given = named.second;
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
