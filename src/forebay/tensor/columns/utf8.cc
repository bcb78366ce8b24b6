#include "forebay/tensor/columns/utf8.h"

#include <cstdint>
#include <cstring>

namespace forebay::tensor {
namespace {

bool is_between(uint8_t byte, uint8_t low, uint8_t high) {
  return byte >= low && byte <= high;
}

// The length of the well-formed non-ASCII sequence at `at`; 0 if there is none.
int sequence_length(const uint8_t* at, const uint8_t* end) {
  const uint8_t lead = at[0];
  const int length = is_between(lead, 0xC2, 0xDF)   ? 2
                     : is_between(lead, 0xE0, 0xEF) ? 3
                     : is_between(lead, 0xF0, 0xF4) ? 4
                                                    : 0;
  if (length == 0 || end - at < length) {
    return 0;
  }
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!is_between(at[1], low, high)) {
    return 0;
  }
  for (int i = 2; i < length; ++i) {
    if (!is_between(at[i], 0x80, 0xBF)) {
      return 0;
    }
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* const end = at + text.size();
  constexpr uint64_t kHighBits = 0x8080808080808080;
  while (at != end) {
    uint64_t word = 0;
    if (end - at >= 8) {
      std::memcpy(&word, at, sizeof(word));
      if ((word & kHighBits) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const int length = *at < 0x80 ? 1 : sequence_length(at, end);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace forebay::tensor
