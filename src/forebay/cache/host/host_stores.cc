#include "forebay/cache/host/host_stores.h"

#include <utility>

namespace forebay::cache {

namespace {

std::string first_directory_of(const Cache& cache) {
  const std::vector<DirectoryOptions>& directories = cache.options().directories;
  return directories.empty() ? std::string() : directories.front().path;
}

}  // namespace

HostStores::HostStores(std::shared_ptr<Cache> cache, StoreOpener open, storage::ReadOrderMaker order,
                       const Clock& clock)
    : cache_(std::move(cache)),
      open_(std::move(open)),
      order_(std::move(order)),
      clock_(clock),
      tables_(first_directory_of(*cache_)) {
}

Result<std::shared_ptr<const storage::ReadOrder>> HostStores::order_of(
    const storage::PlanDescription& plan) const {
  if (!order_) {
    return unimplemented("this daemon knows no order of data sets");
  }
  return order_(plan);
}

Result<CachedAddress> HostStores::find(const std::string& uri, const OpenStore& settings) {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, open_(uri, settings.options));
  const MutexLock lock(mutex_);
  Entry& entry = stores_[{address.store.get(), settings.trusted_ns, settings.is_immutable}];
  if (!entry.store) {
    const FreshnessOptions freshness{
        .trusted_ns = settings.trusted_ns, .is_immutable = settings.is_immutable, .clock = &clock_};
    entry = {address.store, std::make_shared<CacheStore>(cache_, address.store, freshness)};
  }
  return CachedAddress{entry.store, std::move(address.key), entry.upstream};
}

}  // namespace forebay::cache
