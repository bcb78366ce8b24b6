// The header of a packed table as stored in memory; packed_table.h describes the whole format.
#pragma once

#include <bit>
#include <cstdint>

namespace forebay::tensor {

static_assert(std::endian::native == std::endian::little);

inline constexpr uint64_t kPackedMagic = 0x54'59'41'42'45'52'4F'46;  // "FOREBAYT"
inline constexpr uint32_t kPackedVersion = 1;
inline constexpr uint64_t kPackedAlignment = 64;

struct PackedHeader {
  uint64_t magic = kPackedMagic;
  uint32_t version = kPackedVersion;
  uint32_t header_bytes = kPackedAlignment;
  uint64_t total_bytes = 0;
  uint64_t description_bytes = 0;  // directly after the header
  uint64_t rows = 0;
  uint32_t columns = 0;
  uint32_t reserved[5] = {};  // zero
};
static_assert(sizeof(PackedHeader) == kPackedAlignment);

}  // namespace forebay::tensor
