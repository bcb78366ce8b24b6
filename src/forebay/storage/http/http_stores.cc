#include "forebay/storage/http/http_stores.h"

#include <map>
#include <memory>
#include <utility>

#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/http/http_store.h"
#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/remote/remote_store.h"

namespace forebay::storage {
namespace {

/// Never destroyed, because threads use it at exit.
class HttpStores {
 public:
  static HttpStores& process() {
    static auto* const stores = new HttpStores;
    return *stores;
  }

  /// Two threads may open one store at a time; both get the first.
  Result<std::shared_ptr<ObjectStore>> find_or_open(const std::string& scheme, const StoreOptions& options) {
    {
      const MutexLock lock(mutex_);
      const auto found = stores_.find({scheme, options});
      if (found != stores_.end()) {
        return found->second;
      }
    }
    FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<ObjectStore> opened, open(scheme, options));
    const MutexLock lock(mutex_);
    return stores_.try_emplace({scheme, options}, std::move(opened)).first->second;
  }

 private:
  HttpStores() { keep_usable_in_child(mutex_.native()); }

  static Result<std::shared_ptr<ObjectStore>> open(const std::string& scheme, StoreOptions options) {
    FOREBAY_ASSIGN_OR_RETURN(const RateLimits limits, take_rate_limits(&options));
    auto costs = std::make_shared<CostModel>();
    HttpStoreOptions http = {.scheme = scheme, .costs = costs};
    if (const auto token = options.find("bearer_token"); token != options.end()) {
      http.headers.push_back({"Authorization", "Bearer " + token->second});
    }
    RemoteOptions remote;
    if (limits.any()) {
      remote.limiter = std::make_shared<RateLimiter>(limits);
    }
    return remote_store(std::make_shared<HttpStore>(std::move(http)), std::move(costs), std::move(remote));
  }

  Mutex mutex_;
  std::map<std::pair<std::string, StoreOptions>, std::shared_ptr<ObjectStore>> stores_
      FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace

std::vector<StoreOptionSpec> http_option_specs() {
  std::vector<StoreOptionSpec> specs = rate_option_specs();
  specs.push_back({"bearer_token", "sent with each request as a bearer token", true});
  return specs;
}

StoreRegistry::Factory http_factory(const std::string& scheme) {
  return [scheme](const Uri& uri, const StoreOptions& options) -> Result<ObjectAddress> {
    FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<ObjectStore> store,
                             HttpStores::process().find_or_open(scheme, options));
    return ObjectAddress{std::move(store), uri.authority + uri.path};
  };
}

}  // namespace forebay::storage
