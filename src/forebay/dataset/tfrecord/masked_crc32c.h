// CRC-32C as TFRecord stores it.
#pragma once

#include <cstdint>

#include "forebay/base/crc32c.h"

namespace forebay::dataset {

/// Rotated and offset, so that checksums of data that contains checksums stay useful.
inline uint32_t masked_crc32c(Bytes bytes) {
  const uint32_t value = crc32c(bytes);
  return ((value >> 15) | (value << 17)) + 0xa282ead8u;
}

}  // namespace forebay::dataset
