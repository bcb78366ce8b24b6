// Runs a test with many seeds, until one fails.
//
// FOREBAY_SEEDS=100000 sets the number of seeds; FOREBAY_SEED=17 runs that one alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "forebay/base/sanitizers.h"

namespace forebay {

/// Calls `check` with `count` seeds, fewer under a sanitizer.
inline void for_seeds(uint32_t count, const std::function<void(uint32_t)>& check) {
  const auto given = [](const char* name, uint32_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : static_cast<uint32_t>(std::atoi(text));
  };
  constexpr uint32_t kSlower = kIsSanitized ? 8 : 1;
  const uint32_t only = given("FOREBAY_SEED", 0);
  const uint32_t end = only != 0 ? only + 1 : 1 + given("FOREBAY_SEEDS", count / kSlower);
  for (uint32_t seed = only != 0 ? only : 1; seed < end && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed);
  }
}

}  // namespace forebay
