// The header of a request log file.
#pragma once

#include <array>
#include <cstdint>

namespace forebay::memory {

struct LogHeader {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t record_bytes;
};

inline constexpr LogHeader kLogHeader = {{'F', 'B', 'Y', 'R', 'E', 'Q', 'S', '\n'}, 1, 40};

}  // namespace forebay::memory
