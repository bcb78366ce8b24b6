// Runs tests with many seeds. For test programs only: it uses GoogleTest.
//
// FOREBAY_SEEDS=100000 sets the number of seeds; FOREBAY_SEED=17 runs that one alone.
#pragma once

#include <cstdint>
#include <functional>

namespace forebay::cuda {

/// Calls `check` with `count` seeds (fewer under a sanitizer), stopping at the first failure.
void for_seeds(uint32_t count, const std::function<void(uint32_t)>& check);

/// Combines a hash with one more value.
uint64_t mix(uint64_t value, uint64_t with);

}  // namespace forebay::cuda
