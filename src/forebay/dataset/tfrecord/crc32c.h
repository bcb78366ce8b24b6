// CRC-32C (Castagnoli, RFC 3720 appendix B.4), by the processor's instruction where it has one.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"

namespace forebay::dataset {

/// The checksum of `bytes`, continuing from `previous` (0 to begin).
uint32_t crc32c(Bytes bytes, uint32_t previous = 0);

/// As TFRecord stores it: rotated and offset, so that checksums of data with checksums in it stay useful.
uint32_t masked_crc32c(Bytes bytes);

/// The portable path, for tests.
uint32_t crc32c_portable(Bytes bytes, uint32_t previous = 0);

}  // namespace forebay::dataset
