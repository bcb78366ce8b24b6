// A TIFF block that contains only an orientation, for tests.
#pragma once

#include <cstdint>
#include <vector>

namespace forebay::codec::testing {

inline std::vector<uint8_t> exif_block(int orientation, bool is_big_endian) {
  const auto value = static_cast<uint8_t>(orientation);
  if (is_big_endian) {
    return {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0};
  }
  return {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, value, 0, 0, 0, 0, 0, 0, 0};
}

/// The same with the orientation stored as a LONG of four bytes, as some writers do.
inline std::vector<uint8_t> long_exif_block(uint32_t orientation, bool is_big_endian) {
  std::vector<uint8_t> block = exif_block(0, is_big_endian);
  block[is_big_endian ? 13 : 12] = 4;
  for (int i = 0; i < 4; ++i) {
    block[18 + i] = static_cast<uint8_t>(orientation >> 8 * (is_big_endian ? 3 - i : i));
  }
  return block;
}

}  // namespace forebay::codec::testing
