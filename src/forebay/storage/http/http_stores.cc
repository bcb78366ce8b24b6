#include "forebay/storage/http/http_stores.h"

#include <memory>
#include <utility>

#include "forebay/storage/http/http_store.h"
#include "forebay/storage/remote/connection_options.h"
#include "forebay/storage/remote/endpoint.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

Result<std::shared_ptr<ObjectStore>> open_http_store(const Uri& uri, const HttpOptions& options,
                                                     const Environment& environment) {
  FOREBAY_ASSIGN_OR_RETURN(net::HttpClient* const client, http_client_of(environment));
  auto costs = std::make_shared<CostModel>();
  HttpStoreOptions http = {
      .scheme = uri.scheme, .costs = costs, .limits = options.limits, .retries = options.retries};
  http.client = std::shared_ptr<net::HttpClient>(std::shared_ptr<void>(), client);  // never destroyed
  if (!options.bearer_token.empty()) {
    http.headers.push_back({"Authorization", "Bearer " + options.bearer_token});
  }
  return remote_store(std::make_shared<HttpStore>(std::move(http)), std::move(costs));
}

Status check_http_secrets(const Uri& uri, const StoreOptions& options) {
  return options.contains("bearer_token") && !may_take_secrets(uri.scheme + "://" + uri.authority)
             ? invalid_argument("{}: a bearer token does not travel in the clear; use https://",
                                uri_for_message(uri.to_string()))
             : ok_status();
}

}  // namespace

RemoteScheme<HttpOptions> http_scheme() {
  return {.options = with_connection_options<HttpOptions>({text_option(
              {.name = "bearer_token", .help = "sent with each request as a bearer token", .is_secret = true},
              &HttpOptions::bearer_token)}),
          .open = open_http_store,
          .spans_hosts = true,
          .check = check_http_secrets};
}

}  // namespace forebay::storage
