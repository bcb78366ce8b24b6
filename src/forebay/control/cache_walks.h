// Going through what the host's cache holds of a path: verify, free, status. The daemon does it in pieces,
// which this side asks for, so the work ends when the caller does. All functions block, and fail where no
// daemon serves; names are paths or URIs.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "forebay/cache/entries/cache_walk.h"
#include "forebay/control/cache_places.h"
#include "forebay/storage/tree/total.h"

namespace forebay::control {

/// Who watches a walk. Both are called by the calling thread, and may be empty.
struct WalkWatcher {
  std::stop_token stop;  // ends it with `cancelled`
  std::function<void(const cache::CacheWalked& so_far)> on_piece;
  std::function<void(const storage::Total& so_far)> on_page;  // of a listing before it
};

/// Compares what is on disk of `name`, or all if it is empty, with its checksums; what is damaged is dropped.
Result<cache::CacheWalked> verify_held(const std::string& name, const WalkWatcher& watcher);

/// Gives up what is held of `name`, but for what is pinned.
Result<cache::CacheWalked> free_held(const std::string& name, const WalkWatcher& watcher);

/// How much of what is there is held.
struct ShareHeld {
  storage::Total stored;       // what the stores list now
  cache::CacheWalked held;     // of all versions
  size_t uncached_mounts = 0;  // at or below the name, and not counted
};

/// not_found if there is nothing of that name, neither there nor held.
Result<ShareHeld> share_held(const std::string& name, const WalkWatcher& watcher);

/// An error if there are entries that nothing is known of, which must not look like sound or freed ones.
Status check_readable(const cache::CacheWalked& walked);

}  // namespace forebay::control
