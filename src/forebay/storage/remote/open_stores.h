// The stores that a process has open, so that equal names and settings share one: its connections, its limits
// and what it has learnt.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/scheme.h"

namespace forebay::storage {

/// What tells settings apart: the options, and the environment. A digest, since they may be secrets.
std::string settings_identity(const StoreOptions& options, const StoreVariables& variables = {});

/// settings_identity() of this process's environment, in which some variables count. Computed anew when one
/// of them has changed: many objects are opened one after the other. Thread safe; usable in a child after
/// fork().
class EnvironmentIdentity {
 public:
  explicit EnvironmentIdentity(std::vector<std::string> names) : names_(std::move(names)) {}

  std::string get() const;
  StoreVariables variables() const;

 private:
  const std::vector<std::string> names_;
  // Of when it was asked last; guarded by remote_state_mutex().
  mutable StoreVariables variables_;
  mutable std::string identity_;
};

/// What tells stores apart: the scheme and its place, and the identity of the settings.
std::string store_identity(std::string_view place, std::string_view settings);

/// The open store of that identity, or the one that `open` makes, which is kept while it is one of the 256
/// that were used last, or somebody else has it. Two threads may open one at a time; both get the first.
/// Thread safe; usable in a child after fork().
Result<std::shared_ptr<ObjectStore>> find_or_open_store(
    const std::string& identity, const std::function<Result<std::shared_ptr<ObjectStore>>()>& open);

/// The limiter of all processes that give these limits the same name.
std::shared_ptr<RateLimiter> limiter_of_host(const RateLimits& limits);

}  // namespace forebay::storage
