// The network that a process is in. A daemon reads upstream in its own, so it may serve only processes for
// which the same addresses lead to the same places. What else they need, each store brings
// (OpenStore::use).
#pragma once

#include <cstdint>

namespace forebay::cache {

/// A hash of this process's network namespace.
uint64_t network_of_process();

}  // namespace forebay::cache
