// Opens a cache on directories that an earlier one may still have.
#pragma once

#include <memory>
#include <thread>

#include "forebay/cache/cache.h"

namespace forebay::cache::testing {

/// The thread that fetched ahead for an earlier cache of the process may be its last owner, and then frees
/// the directories some time after everybody else has dropped it.
inline std::shared_ptr<Cache> open_when_free(const CacheOptions& options) {
  Result<std::shared_ptr<Cache>> cache = Cache::open(options);
  while (cache.status().code() == StatusCode::kFailedPrecondition) {
    std::this_thread::yield();
    cache = Cache::open(options);
  }
  return *std::move(cache);
}

}  // namespace forebay::cache::testing
