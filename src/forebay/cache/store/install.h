// A cache for all remote stores of a process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/cache.h"
#include "forebay/cache/options/freshness_options.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::cache {

/// From now on the stores that `registry` resolves for these schemes are read through `cache`; without any
/// schemes, those that storage::is_cached() names. It replaces the cache that was installed before; null:
/// none is. Data sets that are open keep the stores that they have.
void install(storage::StoreRegistry& registry, const std::shared_ptr<Cache>& cache,
             std::vector<std::string> schemes = {}, FreshnessOptions freshness = {});

}  // namespace forebay::cache
