// Stats of many objects, in one call to each store.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "forebay/storage/stores/store_registry.h"

namespace forebay::dataset {

using PathAt = std::function<std::string(size_t i)>;
using StatTaker = std::function<void(size_t i, Result<storage::ObjectStat> stat)>;

/// Stats the objects path_of(0) to path_of(count - 1); blocks until all are answered. Calls `take` for each,
/// in any order, on this thread. Returns an error if a path belongs to no store, and one that is not of its
/// object alone (an outage, wrong settings); the rest is not asked for.
Status stat_paths(const storage::StoreRegistry& registry, size_t count, const PathAt& path_of,
                  const StatTaker& take);

}  // namespace forebay::dataset
