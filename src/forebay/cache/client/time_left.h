// How long a call still has, as messages to the daemon say it: the two clocks have nothing in common.
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/base/clock.h"
#include "forebay/storage/context.h"

namespace forebay::cache {

/// 0 once the deadline has passed; kNoDeadline without one.
inline int64_t time_left(const storage::CallContext& context) {
  return context.deadline_ns == storage::kNoDeadline
             ? storage::kNoDeadline
             : std::max<int64_t>(0, context.deadline_ns - steady_clock().now_ns());
}

}  // namespace forebay::cache
