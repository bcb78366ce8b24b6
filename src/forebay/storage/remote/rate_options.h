// The rate limits of a store as options, by name.
#pragma once

#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/store_registry.h"

namespace forebay::storage {

/// requests_per_second and bytes_per_second.
std::vector<StoreOptionSpec> rate_option_specs();

/// Whether stores that take these options take rate_option_specs().
bool takes_rate_limits(const std::vector<StoreOptionSpec>& options);

/// Puts `limits` into `options`. Where these have a limit already, the lower one stays; one that is no number
/// stays, too, for take_rate_limits() to refuse.
void add_rate_limits(const RateLimits& limits, StoreOptions* options);

/// Takes the two out of `options`; a missing one is no limit. invalid_argument for what is no positive
/// number.
Result<RateLimits> take_rate_limits(StoreOptions* options);

}  // namespace forebay::storage
