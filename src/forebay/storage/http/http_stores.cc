#include "forebay/storage/http/http_stores.h"

#include <memory>
#include <utility>

#include "forebay/storage/http/http_store.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

Result<std::shared_ptr<ObjectStore>> open_http_store(const std::string& scheme, StoreOptions options,
                                                     const std::string& identity) {
  FOREBAY_ASSIGN_OR_RETURN(RateLimits limits, take_rate_limits(&options));
  limits.shared_as = identity;
  auto costs = std::make_shared<CostModel>();
  HttpStoreOptions http = {.scheme = scheme, .costs = costs};
  if (const auto token = options.find("bearer_token"); token != options.end()) {
    http.headers.push_back({"Authorization", "Bearer " + token->second});
  }
  return remote_service_store(std::make_shared<HttpStore>(std::move(http)), std::move(costs), limits, {});
}

}  // namespace

std::vector<StoreOptionSpec> http_option_specs() {
  std::vector<StoreOptionSpec> specs = rate_option_specs();
  specs.push_back({"bearer_token", "sent with each request as a bearer token", true});
  return specs;
}

StoreRegistry::Factory http_factory(const std::string& scheme) {
  return [scheme](const Uri& uri, const StoreOptions& options) -> Result<ObjectAddress> {
    if (options.contains("bearer_token") && !may_take_secrets(scheme + "://" + uri.authority)) {
      return invalid_argument("{}: a bearer token does not travel in the clear; use https://",
                              uri_for_message(uri.to_string()));
    }
    FOREBAY_ASSIGN_OR_RETURN(
        std::shared_ptr<ObjectStore> store,
        find_or_open_store(store_identity(scheme + "://", options), [&](const std::string& identity) {
          return open_http_store(scheme, options, identity);
        }));
    return ObjectAddress{std::move(store), uri.authority + uri.path};
  };
}

}  // namespace forebay::storage
