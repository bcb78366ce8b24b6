#include "forebay/codec/png/png_chunks.h"

namespace forebay::codec {

uint32_t png_u32(Bytes bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<uint32_t>(bytes[at + i]);
  }
  return value;
}

Result<PngChunk> read_png_chunk(Bytes png, size_t at) {
  if (png.size() - at < kPngChunkFrameBytes) {
    return data_loss("PNG is truncated at byte {}: its end chunk is missing", png.size());
  }
  const uint32_t length = png_u32(png, at);
  if (length > kMaxPngChunkBytes || length > png.size() - at - kPngChunkFrameBytes) {
    return data_loss("PNG is truncated at byte {}: the chunk at byte {} claims {} bytes", png.size(), at,
                     length);
  }
  return PngChunk{{reinterpret_cast<const char*>(png.data()) + at + 4, 4}, png.subspan(at + 8, length)};
}

}  // namespace forebay::codec
