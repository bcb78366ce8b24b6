// What a store has at hand, without reading it, what it has room for, and what its readers wait for.
#pragma once

#include <memory>

#include "forebay/cache/ahead/demand.h"
#include "forebay/cache/policy/planned_room.h"
#include "forebay/storage/planned_items.h"

namespace forebay::cache {

/// Implemented by stores that keep what they read. Thread safe.
class RangeCache {
 public:
  virtual ~RangeCache() = default;

  /// Whether all of the range would be answered without a read upstream: in its version, or without one in
  /// that which is trusted now. Does not count as a use of it.
  virtual bool holds(const storage::PlannedRange& range) = 0;

  /// What there is room for under the quota that holds for the range's object; null if none does.
  virtual std::shared_ptr<const PlannedRoom> room_of(const storage::PlannedRange& range) = 0;

  virtual Demand demand() const = 0;
};

}  // namespace forebay::cache
