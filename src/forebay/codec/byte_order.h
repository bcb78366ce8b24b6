// Numbers in the byte order of the file. The caller sees to it that the bytes are there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

inline uint32_t little_u16(Bytes bytes, size_t at) {
  return static_cast<uint32_t>(bytes[at]) | static_cast<uint32_t>(bytes[at + 1]) << 8;
}

inline uint32_t little_u32(Bytes bytes, size_t at) {
  return little_u16(bytes, at) | little_u16(bytes, at + 2) << 16;
}

inline uint32_t big_u16(Bytes bytes, size_t at) {
  return static_cast<uint32_t>(bytes[at]) << 8 | static_cast<uint32_t>(bytes[at + 1]);
}

inline uint32_t big_u32(Bytes bytes, size_t at) {
  return big_u16(bytes, at) << 16 | big_u16(bytes, at + 2);
}

}  // namespace forebay::codec
