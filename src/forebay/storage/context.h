// The context of a store call: whether the answer is still wanted, how urgently, until when, and by whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

enum class Priority {
  kDemand,    // somebody is waiting for it
  kPrefetch,  // wanted later; demand reads go first
  kBulk,      // perhaps wanted some time, as a preload; all else goes first
};
inline constexpr size_t kPriorities = 3;

/// A job, a session or a mount. A store's limits and reports distinguish callers by it.
struct Caller {
  std::string name;
};

inline constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

/// A call whose token was stopped, or whose deadline had passed, before it began returns `cancelled` or
/// `deadline_exceeded` and sends no request. If that happens later, the store ends the call as soon as it
/// can: with that error, or with the result if the call was already done.
struct CallContext {
  std::stop_token cancellation;
  Priority priority = Priority::kDemand;
  int64_t deadline_ns = kNoDeadline;  // on steady_clock()
  std::shared_ptr<const Caller> who;  // null: an unnamed caller
  bool is_for_read = false;  // a question on which a read of content waits; retried for as long as one
};

/// True unless the call was cancelled or its deadline has passed.
bool is_wanted(const CallContext& context);

/// The error of a call that is no longer wanted. `uri` names the object for the message.
Status not_wanted(const CallContext& context, std::string_view uri);

}  // namespace forebay::storage
