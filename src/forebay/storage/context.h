// What every call of a store carries besides what it asks for: whether it is still wanted, how badly, until
// when, and by whom.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

enum class Priority {
  kDemand,    // somebody waits for it
  kPrefetch,  // it will be wanted later; gives way to demand
};

/// A job, a session, a mount: whom a store's limits and reports tell apart.
struct Caller {
  std::string name;
};

inline constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

/// A call whose token was stopped, or whose deadline has passed, before it began is answered with `cancelled`
/// or `deadline_exceeded` and asks nothing of anybody. Later a store ends it as soon as it can, with that
/// error or, if it was done by then, with its result.
struct CallContext {
  std::stop_token cancellation;
  Priority priority = Priority::kDemand;
  int64_t deadline_ns = kNoDeadline;  // on steady_clock()
  std::shared_ptr<const Caller> who;  // null: nobody in particular
};

/// Whether neither is the case.
bool is_wanted(const CallContext& context);

/// The error of a call that is not wanted; `uri` is what it was about.
Status not_wanted(const CallContext& context, std::string_view uri);

}  // namespace forebay::storage
