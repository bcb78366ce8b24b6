// Where read plans go that a cached store is told of.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/read_plan.h"

namespace forebay::cache {

/// What has become of plans, and how many there are.
struct PlanCounts {
  uint64_t plans = 0;        // followed now
  uint64_t ahead_reads = 0;  // begun before their readers asked
  uint64_t ahead_bytes = 0;
};

/// Owned by a cache, for all its stores. Thread safe.
class PlanFollower {
 public:
  virtual ~PlanFollower() = default;

  /// A reader of `store`, a store over this cache, is going to read `plan`. Called once for each plan, on the
  /// reader's thread; must not block. What is fetched ahead is read through `store` with the priority
  /// prefetch. `store` must not be kept alive by the follower.
  virtual void follow(const std::shared_ptr<storage::ObjectStore>& store,
                      std::shared_ptr<storage::ReadPlan> plan) = 0;
  virtual PlanCounts counts() const { return {}; }
};

}  // namespace forebay::cache
