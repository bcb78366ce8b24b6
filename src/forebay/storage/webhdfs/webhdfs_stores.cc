#include "forebay/storage/webhdfs/webhdfs_stores.h"

#include <array>
#include <utility>

#include "fmt/format.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/webhdfs/webhdfs_store.h"

namespace forebay::storage {
namespace {

constexpr std::array kWebhdfsVariables = {"HADOOP_USER_NAME", "USER", "LOGNAME"};

}  // namespace

Result<std::shared_ptr<ObjectStore>> open_webhdfs_store(const std::string& scheme,
                                                        const std::string& authority,
                                                        const WebhdfsOptions& options,
                                                        const Environment& environment) {
  FOREBAY_ASSIGN_OR_RETURN(WebhdfsConfiguration configuration,
                           configure_webhdfs(scheme, authority, options, environment));
  auto connection =
      std::make_shared<WebhdfsConnection>(std::move(configuration), options, net::process_http_client());
  auto costs = std::make_shared<CostModel>();
  return remote_service_store(std::make_shared<WebhdfsStore>(std::move(connection), costs), costs,
                              options.limits, options.retries);
}

StoreRegistry::Factory webhdfs_factory() {
  return [](const Uri& uri, const StoreOptions& given) -> Result<ObjectAddress> {
    const auto open = [&](const std::string& identity) -> Result<std::shared_ptr<ObjectStore>> {
      FOREBAY_ASSIGN_OR_RETURN(WebhdfsOptions options, parse_webhdfs_options(given));
      options.limits.shared_as = identity;
      return open_webhdfs_store(uri.scheme, uri.authority, options);
    };
    const std::string place = fmt::format("{}://{}", uri.scheme, uri.authority);
    Result<std::shared_ptr<ObjectStore>> store =
        find_or_open_store(store_identity(place, given, kWebhdfsVariables), open);
    FOREBAY_RETURN_IF_ERROR(annotate(store.status(), uri_for_message(uri.to_string())));
    return ObjectAddress{*std::move(store), uri.path.empty() ? "" : uri.path.substr(1)};
  };
}

}  // namespace forebay::storage
