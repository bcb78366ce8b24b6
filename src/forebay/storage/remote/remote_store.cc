#include "forebay/storage/remote/remote_store.h"

#include <utility>

#include "forebay/storage/remote/throttled_store.h"

namespace forebay::storage {

std::shared_ptr<ObjectStore> remote_store(std::shared_ptr<ObjectStore> driver,
                                          std::shared_ptr<CostModel> costs, RemoteOptions options) {
  std::shared_ptr<ObjectStore> store = std::move(driver);
  if (options.limiter) {
    store = std::make_shared<ThrottledStore>(std::move(store), std::move(options.limiter));
  }
  store = std::make_shared<HedgingStore>(std::move(store), costs, options.hedging);
  store = std::make_shared<RetryingStore>(std::move(store), options.retries);
  return std::make_shared<RangePlanningStore>(std::move(store), std::move(costs), options.ranges);
}

}  // namespace forebay::storage
