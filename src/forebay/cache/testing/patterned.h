// Content for tests: long texts that differ by seed, and in which no two aligned pieces are the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "forebay/base/random/random.h"

namespace forebay::cache::testing {

/// Any bytes, again and again; quick also where each store of a loop is watched by a sanitizer.
inline std::string patterned(size_t bytes, uint64_t seed = 0) {
  constexpr size_t kPeriod = 65'521;  // a prime: chunks do not fall on the same place of it
  std::string text(std::min(bytes, kPeriod), '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(mix64(seed, i));
  }
  while (text.size() < bytes) {
    text.append(text, 0, std::min(text.size(), bytes - text.size()));
  }
  return text;
}

}  // namespace forebay::cache::testing
