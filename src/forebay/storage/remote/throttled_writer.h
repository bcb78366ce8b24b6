// A writer whose parts wait for a rate limit.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/rate_limiter.h"

namespace forebay::storage {

/// A part is a request with its bytes, and the commit one without any. They reach `inner` one by one, in the
/// order of the calls; once one has not been let through, none is.
std::unique_ptr<ObjectWriter> throttled_writer(std::unique_ptr<ObjectWriter> inner,
                                               std::shared_ptr<RateLimiter> limiter);

}  // namespace forebay::storage
