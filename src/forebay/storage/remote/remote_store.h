// A driver for a store across a network, with what all such stores share above their connections.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/cost_model.h"
#include "forebay/storage/remote/hedging_store.h"
#include "forebay/storage/remote/range_planning_store.h"

namespace forebay::storage {

struct RemoteOptions {
  HedgingOptions hedging;
  RangePlanningOptions ranges;
};

/// From the outside in: ranges are planned, and stragglers are asked for twice. The driver's connection
/// (http/service_connection.h) keeps the limits and tries again. `costs` is what the driver learns into.
std::shared_ptr<ObjectStore> remote_store(std::shared_ptr<ObjectStore> driver,
                                          std::shared_ptr<CostModel> costs, RemoteOptions options = {});

}  // namespace forebay::storage
