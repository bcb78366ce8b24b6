// A driver for a store across a network, with all that such stores share.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/cost_model.h"
#include "forebay/storage/remote/hedging_store.h"
#include "forebay/storage/remote/range_planning_store.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/remote/retrying_store.h"

namespace forebay::storage {

struct RemoteOptions {
  RetryOptions retries;
  HedgingOptions hedging;
  RangePlanningOptions ranges;
  std::shared_ptr<RateLimiter> limiter;  // null: no limit
};

/// From the outside in: ranges are planned, what fails is tried again, stragglers are asked for twice, and
/// every request that results passes the rate limit. `costs` is what the driver learns into.
std::shared_ptr<ObjectStore> remote_store(std::shared_ptr<ObjectStore> driver,
                                          std::shared_ptr<CostModel> costs, RemoteOptions options = {});

}  // namespace forebay::storage
