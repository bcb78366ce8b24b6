// Errors of the host's cache itself: they say nothing of the object that was asked for.
#pragma once

#include <string_view>

#include "forebay/base/status.h"

namespace forebay::cache {

/// Whether an error is the cache's or its daemon's own, so that the call can be made without them. The mark
/// goes from the daemon to its processes with the error.
bool is_cache_trouble(const Status& status);
/// The same error, marked so.
Status cache_trouble(Status why);
/// There is no daemon any more, or it does not answer.
Status daemon_gone(std::string_view why = "the cache's daemon has gone");

}  // namespace forebay::cache
