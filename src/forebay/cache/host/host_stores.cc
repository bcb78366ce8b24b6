#include "forebay/cache/host/host_stores.h"

#include <utility>

namespace forebay::cache {

Result<CachedAddress> HostStores::find(const std::string& uri, const OpenStore& settings) {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, open_(uri, settings.options));
  const MutexLock lock(mutex_);
  Entry& entry = stores_[{address.store.get(), settings.trusted_ns, settings.is_immutable}];
  if (!entry.store) {
    const FreshnessOptions freshness{
        .trusted_ns = settings.trusted_ns, .is_immutable = settings.is_immutable, .clock = &clock_};
    entry = {address.store, std::make_shared<CacheStore>(cache_, address.store, freshness)};
  }
  return CachedAddress{entry.store, std::move(address.key)};
}

}  // namespace forebay::cache
