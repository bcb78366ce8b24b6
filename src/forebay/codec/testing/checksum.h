// The checksum of PNG and zlib (ISO 3309), for tests.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/base/byte_source.h"

namespace forebay::codec::testing {

inline uint32_t crc32_of(Bytes bytes) {
  static const std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) {
        table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320 : 0);
      }
    }
    return table;
  }();
  uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<uint32_t>(byte)) & 0xFF];
  }
  return ~crc;
}

}  // namespace forebay::codec::testing
