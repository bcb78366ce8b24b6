// What a daemon says of itself, for `forebay cache status` and `forebay top`.
#pragma once

#include <string>

#include "forebay/cache/hosted/host_stores.h"

namespace forebay::cache {

/// How many processes are told of: those that have waited longest.
inline constexpr size_t kMaxShownProcesses = 32;

/// An object of JSON: the cache's counts by name, "reads" and "read_bytes" that processes have got,
/// "quota_bytes", "directories", "daemon" and "processes". Fits into a message. On the thread of the loop.
std::string host_status(const HostStores& stores);

/// What waits to be stored at or below a URI (empty: all), and what became of what could not be, as JSON: an
/// object with `objects`, `bytes`, `oldest_s`, `uploading`, `failing`, `last_error`, `stored`, `through`,
/// `conflicts`, `last_conflicts`, `damaged` and `off`; an empty one if nothing is written back here.
std::string backlog_status(const HostStores& stores, const std::string& uri);

}  // namespace forebay::cache
