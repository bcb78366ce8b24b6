// The host's cache for all far stores of a process.
#pragma once

#include <string>

#include "forebay/storage/store_registry.h"

namespace forebay::cache {

/// Where the daemon of this user and host serves: `daemon.sock` under storage::forebay_home().
Result<std::string> host_socket();

/// From now on the stores that `registry` resolves, but local files and "mem", are read through the host's
/// cache, if a daemon serves at `socket` when they are first resolved. A daemon that was started with another
/// environment (credentials, endpoints, proxies) is not used; a warning says so once.
void install_host(storage::StoreRegistry& registry, std::string socket);

/// install_host() at host_socket(), unless FOREBAY_DAEMON is "off". What programs and the Python package
/// begin with.
void use_host_cache(storage::StoreRegistry& registry);

}  // namespace forebay::cache
