#include "forebay/storage/remote/open_stores.h"

#include <map>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/state_mutex.h"

namespace forebay::storage {
namespace {

using OpenStores = std::map<std::string, std::shared_ptr<ObjectStore>, std::less<>>;

/// Guarded by remote_state_mutex(). Never destroyed, because threads use it at exit.
OpenStores& open_stores() {
  static auto* const stores = new OpenStores;
  return *stores;
}

std::shared_ptr<ObjectStore> find_store(const std::string& identity) {
  const MutexLock lock(remote_state_mutex());
  const auto found = open_stores().find(identity);
  return found == open_stores().end() ? nullptr : found->second;
}

}  // namespace

std::string store_identity(std::string_view place, const StoreOptions& options,
                           std::span<const std::string> variables) {
  std::string text(place);
  for (const auto& [name, value] : options) {
    text += fmt::format("{}{}={}", '\0', name, value);
  }
  for (const std::string& name : variables) {
    text += '\0';
    text += process_environment(name).value_or("");
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
  const MutexLock lock(remote_state_mutex());
  return open_stores().try_emplace(identity, std::move(opened)).first->second;
}

std::shared_ptr<RateLimiter> limiter_of_host(const RateLimits& limits) {
  return std::make_shared<RateLimiter>(
      limits, process_timer(),
      limits.shared_as.empty() ? LimitPlaces() : host_limit_places(limits.shared_as));
}

}  // namespace forebay::storage
