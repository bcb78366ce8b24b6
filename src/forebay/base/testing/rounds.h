// How many random cases a test tries: few where each takes long, many at night.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "forebay/base/sanitizers.h"

namespace forebay {

/// Whether there is time to try everything: FOREBAY_THOROUGH=1, as `make nightly` sets it.
inline bool is_thorough() {
  const char* const given = std::getenv("FOREBAY_THOROUGH");
  return given != nullptr && *given == '1';
}

/// `all` when thorough, otherwise `usual`, and under a sanitizer, which makes each take ten times as long, a
/// quarter of that; at least one.
inline uint64_t rounds(uint64_t usual, uint64_t all) {
  if (is_thorough()) {
    return all;
  }
  return kIsSanitized ? std::max<uint64_t>(1, usual / 4) : usual;
}

}  // namespace forebay
