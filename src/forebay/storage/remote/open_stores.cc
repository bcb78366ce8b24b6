#include "forebay/storage/remote/open_stores.h"

#include <cstdint>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/state_mutex.h"

namespace forebay::storage {
namespace {

// Beyond so many, the one that was not used for longest goes: each new token of a user makes another.
constexpr size_t kMostOpen = 256;

struct OpenStores {
  struct Entry {
    std::shared_ptr<ObjectStore> store;
    uint64_t last_use = 0;
  };

  std::map<std::string, Entry, std::less<>> by_identity;
  uint64_t uses = 0;
};

/// Guarded by remote_state_mutex(). Never destroyed, because threads use it at exit.
OpenStores& open_stores() {
  static auto* const stores = new OpenStores;
  return *stores;
}

std::shared_ptr<ObjectStore> find_store(const std::string& identity) {
  const MutexLock lock(remote_state_mutex());
  OpenStores& open = open_stores();
  const auto found = open.by_identity.find(identity);
  if (found == open.by_identity.end()) {
    return nullptr;
  }
  found->second.last_use = ++open.uses;
  return found->second.store;
}

/// The one that was not used for longest, if nobody else has it; called with the lock.
std::shared_ptr<ObjectStore> take_unused(OpenStores& open) {
  auto oldest = open.by_identity.end();
  for (auto each = open.by_identity.begin(); each != open.by_identity.end(); ++each) {
    const bool is_older = oldest == open.by_identity.end() || each->second.last_use < oldest->second.last_use;
    if (each->second.store.use_count() == 1 && is_older) {
      oldest = each;
    }
  }
  return oldest == open.by_identity.end() ? nullptr
                                          : std::move(open.by_identity.extract(oldest).mapped().store);
}

}  // namespace

std::string store_identity(std::string_view place, const StoreOptions& options,
                           std::span<const std::string> variables, const Environment& environment) {
  std::string text(place);
  for (const auto& [name, value] : options) {
    text += fmt::format("{}{}={}", '\0', name, value);
  }
  for (const std::string& name : variables) {
    text += '\0';
    text += environment(name).value_or("");
  }
  return net::sha256_hex(std::as_bytes(std::span(text)));
}

Result<std::shared_ptr<ObjectStore>> find_or_open_store(
    const std::string& identity,
    const std::function<Result<std::shared_ptr<ObjectStore>>(const std::string& identity)>& open) {
  if (std::shared_ptr<ObjectStore> store = find_store(identity)) {
    return store;
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<ObjectStore> opened, open(identity));
  std::shared_ptr<ObjectStore> unused;  // dropped after the lock
  const MutexLock lock(remote_state_mutex());
  OpenStores& known = open_stores();
  OpenStores::Entry& entry = known.by_identity[identity];
  if (!entry.store) {
    entry.store.swap(opened);  // else it is dropped after the lock, too
  }
  entry.last_use = ++known.uses;
  std::shared_ptr<ObjectStore> store = entry.store;
  if (known.by_identity.size() > kMostOpen) {
    unused = take_unused(known);
  }
  return store;
}

std::shared_ptr<RateLimiter> limiter_of_host(const RateLimits& limits) {
  return std::make_shared<RateLimiter>(
      limits, process_timer(),
      limits.shared_as.empty() ? LimitPlaces() : host_limit_places(limits.shared_as));
}

}  // namespace forebay::storage
