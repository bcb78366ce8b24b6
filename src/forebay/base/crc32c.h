// CRC-32C (Castagnoli, RFC 3720 appendix B.4), using the processor's instruction if it has one.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"

namespace forebay {

/// Returns the checksum of `bytes`, continuing from `previous` (0 to start).
uint32_t crc32c(Bytes bytes, uint32_t previous = 0);

/// The portable implementation, for tests.
uint32_t crc32c_portable(Bytes bytes, uint32_t previous = 0);

}  // namespace forebay
