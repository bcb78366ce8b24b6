#include "forebay/storage/remote/remote_store.h"

#include <utility>

namespace forebay::storage {

std::shared_ptr<ObjectStore> remote_store(std::shared_ptr<ObjectStore> driver,
                                          std::shared_ptr<CostModel> costs, RemoteOptions options) {
  auto hedged = std::make_shared<HedgingStore>(std::move(driver), costs, options.hedging);
  return std::make_shared<RangePlanningStore>(std::move(hedged), std::move(costs), options.ranges);
}

}  // namespace forebay::storage
