#include "forebay/cache/policy/policies.h"

#include <utility>

#include "forebay/cache/policy/lru.h"
#include "forebay/cache/policy/s3_fifo.h"

namespace forebay::cache {

PolicyFactory s3_fifo_policy() {
  return [](uint64_t) { return std::make_unique<S3Fifo>(); };
}

PolicyFactory lru_policy() {
  return [](uint64_t) { return std::make_unique<Lru>(); };
}

PolicyFactory planned_policy(std::shared_ptr<Future> future, std::shared_ptr<PlannedRoom> room) {
  return [future = std::move(future), room = std::move(room)](uint64_t capacity_bytes) {
    return std::make_unique<Planned>(future, room, capacity_bytes);
  };
}

PolicyFactory planned_policy(std::shared_ptr<Future> future) {
  return [future = std::move(future)](uint64_t capacity_bytes) {
    return std::make_unique<Planned>(future, std::make_shared<PlannedRoom>(), capacity_bytes,
                                     Planned::Capacity::kExact);
  };
}

}  // namespace forebay::cache
