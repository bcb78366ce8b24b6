// What an index depends on besides its files, as one number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"

namespace forebay::dataset {

/// `hash`, and what the texts are and how many.
inline uint64_t mix_texts(uint64_t hash, const std::vector<std::string>& texts) {
  hash = mix64(hash, texts.size());
  for (const std::string& text : texts) {
    hash = mix64(hash, hash64(text));
  }
  return hash;
}

}  // namespace forebay::dataset
