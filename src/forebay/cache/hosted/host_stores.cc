#include "forebay/cache/hosted/host_stores.h"

#include <algorithm>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/cache/journal/write_back_store.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/cache/store/side_data.h"

namespace forebay::cache {

namespace {

constexpr int64_t kAccessTrustedNs = 3'600'000'000'000;

}  // namespace

HostStores::HostStores(std::shared_ptr<Cache> cache, StoreOpener open, storage::ReadOrderMaker order,
                       RuleReader rules, const Clock& clock)
    : cache_(std::move(cache)),
      open_(std::move(open)),
      order_(std::move(order)),
      rules_(std::move(rules)),
      clock_(clock),
      tables_(cache_->room_beside()) {
}

HostStores::~HostStores() {
  if (journal_) {
    journal_->stop();
  }
}

// The stores of the journal are found as a process would find them, so that both share what is cached.
Status HostStores::open_journal(const std::string& folder, WrittenMounts mounts) {
  WriteBackOptions options;
  options.folder = folder;
  options.resolve = [weak = weak_from_this(), mounts = std::move(mounts)](
                        const std::string& mount, const std::string& uri) -> Result<WriteBackTarget> {
    const std::shared_ptr<HostStores> alive = weak.lock();
    if (!alive) {
      return cancelled("the daemon ends");
    }
    FOREBAY_ASSIGN_OR_RETURN(const OpenStore settings, mounts(mount, uri));
    FOREBAY_ASSIGN_OR_RETURN(CachedAddress address, alive->find(uri, settings));
    return WriteBackTarget{address.store, address.upstream, std::move(address.key)};
  };
  Result<std::shared_ptr<WriteBack>> opened = WriteBack::open(std::move(options));
  if (opened.ok()) {
    journal_ = *std::move(opened);
    journal_->start();
    return ok_status();
  }
  const Result<std::vector<JournalWaiting>> waiting = list_journal(*host_files(), folder);
  if (opened.status().code() == StatusCode::kFailedPrecondition || (waiting.ok() && !waiting->empty())) {
    return opened.status();
  }
  log_warning("nothing is written back, for there is no journal: {}", message(opened.status()));
  return ok_status();
}

std::shared_ptr<storage::ObjectStore> HostStores::front_of(Entry& entry, const OpenStore& settings) {
  if (!journal_) {
    return entry.store;
  }
  std::shared_ptr<storage::ObjectStore>& front =
      entry.fronts[{settings.use.write_back_mount, settings.use.write_back_bytes}];
  if (!front) {
    front = std::make_shared<WriteBackStore>(
        entry.store, entry.upstream, journal_,
        WriteBackUse{.mount = settings.use.write_back_mount, .most_bytes = settings.use.write_back_bytes});
  }
  return front;
}

Result<std::shared_ptr<const storage::ReadOrder>> HostStores::order_of(
    const storage::PlanDescription& plan, std::vector<uint64_t> stored_shards) const {
  if (!order_) {
    return unimplemented("this daemon knows no order of data sets");
  }
  return order_(plan, std::move(stored_shards));
}

Result<std::vector<AdmissionRule>> HostStores::read_rules() const {
  if (!rules_) {
    return unimplemented("the rules of this daemon's cache cannot be changed while it runs");
  }
  return rules_();
}

bool HostStores::IsIdle::operator()(const Entry& entry) const {
  return entry.store.use_count() == 1 + static_cast<long>(entry.fronts.size()) &&
         std::ranges::all_of(entry.fronts, [](const auto& front) { return front.second.use_count() == 1; });
}

Result<storage::ObjectAddress> HostStores::open_upstream(const std::string& uri,
                                                         const OpenStore& settings) const {
  if (uri.starts_with(kSideScheme)) {
    return storage::ObjectAddress{side_upstream(), uri.substr(kSideScheme.size())};
  }
  return open_(uri, settings.use);
}

Result<CachedAddress> HostStores::find(const std::string& uri, const OpenStore& settings) {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, open_upstream(uri, settings));
  decltype(stores_)::Surplus surplus;  // dropped after the lock
  const MutexLock lock(mutex_);
  Entry& entry = stores_.find_or_add({address.store.get(), settings.trusted_ns, settings.use.is_immutable});
  if (!entry.store) {
    // No store has side data, so there is none whose leave could be asked.
    const FreshnessOptions freshness{.trusted_ns = settings.trusted_ns,
                                     .is_immutable = settings.use.is_immutable,
                                     .access_trusted_ns = uri.starts_with(kSideScheme) ? 0 : kAccessTrustedNs,
                                     .compares_elsewhere = true,
                                     .clock = &clock_};
    entry.upstream = address.store;
    entry.store = std::make_shared<CacheStore>(cache_, address.store, freshness);
    surplus = stores_.take_surplus();
  }
  return CachedAddress{entry.store, std::move(address.key), entry.upstream, front_of(entry, settings)};
}

}  // namespace forebay::cache
