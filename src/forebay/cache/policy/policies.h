// The policies to choose from.
#pragma once

#include <memory>

#include "forebay/cache/policy/eviction_policy.h"
#include "forebay/cache/policy/future.h"
#include "forebay/cache/policy/planned.h"

namespace forebay::cache {

/// The default where nobody says what comes next.
PolicyFactory s3_fifo_policy();
PolicyFactory lru_policy();
/// For one cache: `room` shows what is in it.
PolicyFactory planned_policy(std::shared_ptr<Future> future, std::shared_ptr<PlannedRoom> room);
/// For any number of folders of a cache, each with a room of its own.
PolicyFactory planned_policy(std::shared_ptr<Future> future);

}  // namespace forebay::cache
