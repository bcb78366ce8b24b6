// Where read plans go that a cached store is told of.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/read_plan.h"

namespace forebay::cache {

/// Owned by a cache, for all its stores. Thread safe.
class PlanFollower {
 public:
  virtual ~PlanFollower() = default;

  /// A reader of `store`, a store over this cache, is going to read `plan`. Called once for each plan, on the
  /// reader's thread; must not block. What is fetched ahead is read through `store` with the priority
  /// prefetch. `store` must not be kept alive by the follower.
  virtual void follow(const std::shared_ptr<storage::ObjectStore>& store,
                      std::shared_ptr<storage::ReadPlan> plan) = 0;
};

}  // namespace forebay::cache
