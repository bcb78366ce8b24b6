// Runs bodies that wait for stores in parallel, until one fails or somebody outside ends them.
#pragma once

#include <cstddef>
#include <functional>

#include "forebay/base/status.h"

namespace forebay::storage {

/// Calls body(0) to body(count - 1) on up to 16 threads, and returns when all have ended: OK, or the error of
/// the lowest number that failed, as if they ran one after the other. Once one has failed, none with a higher
/// number begins, so that an outage is waited for once, and not by each body in turn; those that have begun
/// go on to their end. Where InterruptibleWaits of the calling thread are interrupted, so are those of all
/// bodies: `cancelled`. An exception of a body is thrown when all have ended.
Status run_parallel_calls(size_t count, const std::function<Status(size_t)>& body);

}  // namespace forebay::storage
