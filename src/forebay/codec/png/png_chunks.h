// The structure of a PNG file (W3C PNG, third edition, section 5): a signature, then chunks of length, type,
// data, checksum.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

inline constexpr size_t kPngSignatureBytes = 8;
inline constexpr size_t kPngChunkFrameBytes = 12;  // length, type, checksum
inline constexpr uint32_t kMaxPngChunkBytes = 0x7FFFFFFF;

struct PngChunk {
  std::string_view type;  // four letters, referring to the file
  Bytes data;
};

/// The big-endian number at offset `at`; four bytes must be there.
uint32_t png_u32(Bytes bytes, size_t at);

/// Reads the chunk at offset `at` <= bytes.size() without checking its checksum. data_loss if it extends past
/// the end of the file.
Result<PngChunk> read_png_chunk(Bytes png, size_t at);

}  // namespace forebay::codec
