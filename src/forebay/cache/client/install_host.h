// The host's cache for all remote stores of a process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/cache/client/daemon_process.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::cache {

/// Where the daemon of this user and host serves: `daemon.sock` under storage::forebay_home().
Result<std::string> host_socket();

/// From now on the stores that `registry` resolves and that are worth it (storage::is_cached()) are read
/// through the host's cache, whenever a daemon serves at `socket` or can be started by `start`; see
/// HostConnector. What keeps them from it (no program, another network namespace) costs
/// the cache and nothing else; a warning says so once.
void install_host(storage::StoreRegistry& registry, std::string socket,
                  std::optional<DaemonStart> start = std::nullopt);

/// What programs and the Python package begin with: install_host() at host_socket(). FOREBAY_DAEMON says how:
/// "on", the default, starts a daemon with the first store that wants one; "running" uses one that runs;
/// "off" uses none. `programs` is where `forebay` may be, see DaemonStart.
void use_host_cache(storage::StoreRegistry& registry, const std::vector<std::string>& programs);

}  // namespace forebay::cache
