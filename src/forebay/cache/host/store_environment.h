// What the environment says about far stores: credentials, endpoints, proxies, certificates. A daemon opens
// stores in its own environment, so it may serve only processes that would open the same ones.
#pragma once

#include <cstdint>

namespace forebay::cache {

/// A hash of these variables; equal for two processes that open the same stores for the same URIs.
uint64_t store_environment();

}  // namespace forebay::cache
