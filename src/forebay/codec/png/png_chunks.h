// The frame of a PNG (W3C PNG, third edition, section 5): a signature, then chunks of length, type, data,
// checksum.
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
  std::string_view type;  // four letters, in the file
  Bytes data;
};

/// The big-endian number at byte `at`, which four bytes must follow.
uint32_t png_u32(Bytes bytes, size_t at);

/// The chunk that begins at byte `at` <= bytes.size(), its checksum unchecked. data_loss when it reaches
/// behind the file.
Result<PngChunk> read_png_chunk(Bytes png, size_t at);

}  // namespace forebay::codec
