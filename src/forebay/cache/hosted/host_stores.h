// The stores of a daemon: those that its processes name, each over the one cache.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/recently_used.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/hosted/host_activity.h"
#include "forebay/cache/hosted/kept_leases.h"
#include "forebay/cache/items/host_tables.h"
#include "forebay/cache/journal/write_back.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/described_items.h"

namespace forebay::cache {

/// Makes the address of a URI, with the options and the environment that a process gave for it.
using StoreOpener =
    std::function<Result<storage::ObjectAddress>(const std::string& uri, const storage::StoreUse& use)>;

/// Reads the rules that users give the cache.
using RuleReader = std::function<Result<std::vector<AdmissionRule>>()>;

/// The settings of the store of a mount that is written back, by its path, as the mount table has them now;
/// an error if it does not hold the URI.
using WrittenMounts = std::function<Result<OpenStore>(const std::string& mount, const std::string& uri)>;

/// An object behind the cache.
struct CachedAddress {
  std::shared_ptr<CacheStore> store;
  std::string key;
  std::shared_ptr<storage::ObjectStore> upstream;  // what the store reads from
  std::shared_ptr<storage::ObjectStore> front;     // shows what waits to be stored, too; the store itself
                                                   // where there is no journal
};

/// Thread safe; owned by a shared_ptr.
class HostStores : public std::enable_shared_from_this<HostStores> {
 public:
  /// Without `order`, plans that have one are not followed; without `rules`, those of the cache's options
  /// stay.
  HostStores(std::shared_ptr<Cache> cache, StoreOpener open, storage::ReadOrderMaker order, RuleReader rules,
             const Clock& clock);

  ~HostStores();

  /// Takes over a journal, and stores what waits in it. Before anything is found. failed_precondition if
  /// another daemon has it. A folder that cannot be used, and in which nothing waits, costs the journal only.
  Status open_journal(const std::string& folder, WrittenMounts mounts);
  /// Null if there is none.
  const std::shared_ptr<WriteBack>& journal() const { return journal_; }

  /// Beyond so many, the one that was not used for longest goes, with what was known of its objects; what is
  /// cached stays. Each new token of a user makes another.
  static constexpr size_t kMaxKept = 256;

  Result<CachedAddress> find(const std::string& uri, const OpenStore& settings);

  Cache& cache() const { return *cache_; }
  /// The rules that users give the cache, as they are now.
  Result<std::vector<AdmissionRule>> read_rules() const;
  const StoreOpener& opener() const { return open_; }
  /// `stored_shards`: see storage::DescribedItems.
  Result<std::shared_ptr<const storage::ReadOrder>> order_of(const storage::PlanDescription& plan,
                                                             std::vector<uint64_t> stored_shards) const;
  HostTables& tables() { return tables_; }
  KeptLeases& kept_leases() const { return *kept_leases_; }
  HostActivities& activities() { return activities_; }
  const HostActivities& activities() const { return activities_; }
  /// When the daemon began to serve, on the steady clock.
  int64_t began_ns() const { return began_ns_; }

 private:
  struct Entry {
    std::shared_ptr<storage::ObjectStore> upstream;  // kept, so that its address stays its own
    std::shared_ptr<CacheStore> store;
    std::map<std::pair<std::string, uint64_t>, std::shared_ptr<storage::ObjectStore>> fronts;  // by their use
  };
  /// Whether nobody else has it.
  struct IsIdle {
    bool operator()(const Entry& entry) const;
  };
  using Key = std::tuple<const storage::ObjectStore*, int64_t, bool>;

  Result<storage::ObjectAddress> open_upstream(const std::string& uri, const OpenStore& settings) const;
  std::shared_ptr<storage::ObjectStore> front_of(Entry& entry, const OpenStore& settings)
      FOREBAY_REQUIRES(mutex_);

  const std::shared_ptr<Cache> cache_;
  const StoreOpener open_;
  const storage::ReadOrderMaker order_;
  const RuleReader rules_;
  const Clock& clock_;
  std::shared_ptr<WriteBack> journal_;  // set before it serves
  HostTables tables_;
  const std::shared_ptr<KeptLeases> kept_leases_ = std::make_shared<KeptLeases>();
  HostActivities activities_;
  const int64_t began_ns_ = steady_clock().now_ns();
  Mutex mutex_;
  RecentlyUsed<Key, Entry, IsIdle> stores_ FOREBAY_GUARDED_BY(mutex_){kMaxKept};
};

}  // namespace forebay::cache
