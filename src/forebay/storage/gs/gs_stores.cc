#include "forebay/storage/gs/gs_stores.h"

#include <array>
#include <utility>

#include "forebay/storage/gs/gs_store.h"
#include "forebay/storage/remote/metadata_client.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr std::array kGsVariables = {"STORAGE_EMULATOR_HOST",
                                     "GOOGLE_OAUTH_ACCESS_TOKEN",
                                     "GOOGLE_APPLICATION_CREDENTIALS",
                                     "GCE_METADATA_HOST",
                                     "NO_GCE_CHECK",
                                     "FOREBAY_GS_ANONYMOUS",
                                     "HOME"};

}  // namespace

Result<std::shared_ptr<ObjectStore>> open_gs_store(const std::string& bucket, const GsOptions& options,
                                                   const Environment& environment) {
  FOREBAY_RETURN_IF_ERROR(check_gs_bucket(bucket));
  FOREBAY_ASSIGN_OR_RETURN(Endpoint endpoint, gs_endpoint(options, environment));
  net::HttpClient& client = net::process_http_client();
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<GsTokenSource> tokens,
                           gs_token_source(options, environment, metadata_client(), client));
  auto connection =
      std::make_shared<GsConnection>(bucket, options, std::move(endpoint), std::move(tokens), client);
  auto costs = std::make_shared<CostModel>();
  return remote_service_store(std::make_shared<GsStore>(std::move(connection), costs), costs, options.limits,
                              options.retries);
}

StoreRegistry::Factory gs_factory() {
  return [](const Uri& uri, const StoreOptions& given) -> Result<ObjectAddress> {
    const auto open = [&](const std::string& identity) -> Result<std::shared_ptr<ObjectStore>> {
      FOREBAY_ASSIGN_OR_RETURN(GsOptions options, parse_gs_options(given));
      options.limits.shared_as = identity;
      return open_gs_store(uri.authority, options);
    };
    Result<std::shared_ptr<ObjectStore>> store =
        find_or_open_store(store_identity("gs://" + uri.authority, given, kGsVariables), open);
    FOREBAY_RETURN_IF_ERROR(annotate(store.status(), uri_for_message(uri.to_string())));
    return ObjectAddress{*std::move(store), uri.path.empty() ? "" : uri.path.substr(1)};
  };
}

}  // namespace forebay::storage
