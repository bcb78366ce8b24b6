// Whether a store has bytes at hand, without reading them.
#pragma once

#include "forebay/storage/planned_items.h"

namespace forebay::cache {

/// Implemented by stores that keep what they read. Thread safe.
class RangeCache {
 public:
  virtual ~RangeCache() = default;

  /// Whether all of the range, in its version, would be answered without a read upstream. Does not count as a
  /// use of it.
  virtual bool holds(const storage::PlannedRange& range) = 0;
};

}  // namespace forebay::cache
