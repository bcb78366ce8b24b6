// The stores of a daemon: those that its processes name, each over the one cache.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/host/host_messages.h"
#include "forebay/cache/plans/host_tables.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/described_items.h"

namespace forebay::cache {

/// Makes the address of a URI, with the settings that a process gave for it.
using StoreOpener = std::function<Result<storage::ObjectAddress>(const std::string& uri,
                                                                 const storage::StoreOptions& options)>;

/// An object behind the cache.
struct CachedAddress {
  std::shared_ptr<CacheStore> store;
  std::string key;
  std::shared_ptr<storage::ObjectStore> upstream;  // what the store reads from
};

/// Thread safe.
class HostStores {
 public:
  /// Without `order`, plans that have one are not followed.
  HostStores(std::shared_ptr<Cache> cache, StoreOpener open, storage::ReadOrderMaker order,
             const Clock& clock);

  Result<CachedAddress> find(const std::string& uri, const OpenStore& settings);

  Cache& cache() const { return *cache_; }
  const StoreOpener& opener() const { return open_; }
  Result<std::shared_ptr<const storage::ReadOrder>> order_of(const storage::PlanDescription& plan) const;
  HostTables& tables() { return tables_; }

 private:
  struct Entry {
    std::shared_ptr<storage::ObjectStore> upstream;  // kept, so that its address stays its own
    std::shared_ptr<CacheStore> store;
  };
  using Key = std::tuple<const storage::ObjectStore*, int64_t, bool>;

  const std::shared_ptr<Cache> cache_;
  const StoreOpener open_;
  const storage::ReadOrderMaker order_;
  const Clock& clock_;
  HostTables tables_;
  Mutex mutex_;
  std::map<Key, Entry> stores_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
