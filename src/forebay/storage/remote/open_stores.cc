#include "forebay/storage/remote/open_stores.h"

#include <span>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/recently_used.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/state_mutex.h"

namespace forebay::storage {
namespace {

// Beyond so many, the one that was not used for longest goes: each new token of a user makes another.
constexpr size_t kMaxOpen = 256;

using OpenStores = RecentlyUsed<std::string, std::shared_ptr<ObjectStore>, IsUnshared>;

/// Guarded by remote_state_mutex(). Never destroyed, because threads use it at exit.
OpenStores& open_stores() {
  static auto* const stores = new OpenStores(kMaxOpen);
  return *stores;
}

std::shared_ptr<ObjectStore> find_store(const std::string& identity) {
  const MutexLock lock(remote_state_mutex());
  const std::shared_ptr<ObjectStore>* const found = open_stores().find(identity);
  return found == nullptr ? nullptr : *found;
}

}  // namespace

std::string settings_identity(const StoreOptions& options, const StoreVariables& variables) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += fmt::format("option {}={}{}", name, value, '\0');
  }
  for (const auto& [name, value] : variables) {
    text += fmt::format("variable {}={}{}", name, value, '\0');
  }
  return net::sha256_hex(std::as_bytes(std::span(text)));
}

StoreVariables EnvironmentIdentity::variables() const {
  return variables_in(process_environment, names_);
}

std::string EnvironmentIdentity::get() const {
  StoreVariables now = variables();
  {
    const MutexLock lock(remote_state_mutex());
    if (!identity_.empty() && variables_ == now) {
      return identity_;
    }
  }
  std::string identity = settings_identity({}, now);
  const MutexLock lock(remote_state_mutex());
  variables_.swap(now);
  identity_ = identity;
  return identity;
}

std::string store_identity(std::string_view place, std::string_view settings) {
  const std::string text = fmt::format("{}{}{}", place, '\0', settings);
  return net::sha256_hex(std::as_bytes(std::span(text)));
}

Result<std::shared_ptr<ObjectStore>> find_or_open_store(
    const std::string& identity, const std::function<Result<std::shared_ptr<ObjectStore>>()>& open) {
  if (std::shared_ptr<ObjectStore> store = find_store(identity)) {
    return store;
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<ObjectStore> opened, open());
  OpenStores::Surplus surplus;  // dropped after the lock
  const MutexLock lock(remote_state_mutex());
  std::shared_ptr<ObjectStore>& kept = open_stores().find_or_add(identity);
  if (!kept) {
    kept.swap(opened);  // else it is dropped after the lock, too
  }
  std::shared_ptr<ObjectStore> store = kept;
  surplus = open_stores().take_surplus();
  return store;
}

std::shared_ptr<RateLimiter> limiter_of_host(const RateLimits& limits) {
  return std::make_shared<RateLimiter>(
      limits, process_timer(),
      limits.shared_as.empty() ? LimitPlaces() : host_limit_places(limits.shared_as));
}

}  // namespace forebay::storage
