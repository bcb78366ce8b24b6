// Tests of many schedules. For test programs only: it uses GoogleTest.
//
// FOREBAY_SEEDS=100000 tries so many in place of the usual number, FOREBAY_SEED=17 that one alone.
#pragma once

#include <cstdint>
#include <functional>

namespace forebay::cuda {

/// Calls `check` with one seed after the other, `count` of them (fewer under a sanitizer), until it fails.
void for_seeds(uint32_t count, const std::function<void(uint32_t)>& check);

/// A hash of what was read so far and of one value more.
uint64_t mix(uint64_t value, uint64_t with);

}  // namespace forebay::cuda
