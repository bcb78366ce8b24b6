// Parses the chunks of a PNG (W3C PNG, third edition): size, kind of pixels, orientation, and whether the
// file is complete.
#include <array>
#include <cstdint>

#include "forebay/codec/exif_orientation.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/codec/png/png_chunks.h"
#include "forebay/codec/png/png_pieces.h"

namespace forebay::codec {
namespace {

constexpr size_t kHeaderChunkBytes = 13;

/// The channels of a colour type (0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA); 0 for an unknown type.
int channels_of(int colour_type) {
  constexpr std::array<int, 7> kChannels = {1, 0, 3, 3, 2, 0, 4};
  return colour_type < static_cast<int>(kChannels.size()) ? kChannels[colour_type] : 0;
}

bool is_allowed(int bit_depth, int colour_type) {
  const bool is_whole_bytes = bit_depth == 8 || (bit_depth == 16 && colour_type != 3);
  const bool is_packed = bit_depth == 1 || bit_depth == 2 || bit_depth == 4;
  return is_whole_bytes || (is_packed && (colour_type == 0 || colour_type == 3));
}

Result<ImageHeader> parse_header_chunk(const PngChunk& chunk) {
  if (chunk.type != "IHDR" || chunk.data.size() != kHeaderChunkBytes) {
    return data_loss("PNG does not begin with its header chunk");
  }
  const int depth = static_cast<int>(chunk.data[8]);
  const int colour_type = static_cast<int>(chunk.data[9]);
  const int interlace = static_cast<int>(chunk.data[12]);
  ImageHeader header;
  header.format = ImageFormat::kPng;
  header.width = png_u32(chunk.data, 0);
  header.height = png_u32(chunk.data, 4);
  header.channels = channels_of(colour_type);
  header.bit_depth = colour_type == 3 ? 8 : depth;
  header.index_bits = colour_type == 3 ? depth : 0;
  header.is_progressive = interlace == 1;
  if (header.channels == 0 || !is_allowed(depth, colour_type) || interlace > 1) {
    return data_loss("PNG header is broken: colour type {}, bit depth {}, interlace method {}", colour_type,
                     depth, interlace);
  }
  if (header.width == 0 || header.height == 0 || header.width > kMaxPngChunkBytes ||
      header.height > kMaxPngChunkBytes) {
    return data_loss("PNG claims a size of {}x{}", header.height, header.width);
  }
  return header;
}

/// The size of the uncompressed rows, including each row's filter byte; the passes of interlaced images are
/// not distinguished.
uint64_t row_data_bytes(const ImageHeader& header, uint64_t bits_per_pixel) {
  const uint64_t row = 1 + (static_cast<uint64_t>(header.width) * bits_per_pixel + 7) / 8;
  return row > UINT64_MAX / static_cast<uint64_t>(header.height) ? UINT64_MAX
                                                                 : row * static_cast<uint64_t>(header.height);
}

/// 258 bytes take at least two bits (RFC 1951, 3.2.5): fewer compressed bytes than that cannot hold the
/// image.
Status check_data_bytes(const ImageHeader& header, uint64_t bits_per_pixel, uint64_t data_bytes) {
  constexpr uint64_t kMaxPerByte = 258 * 4;
  if (data_bytes < row_data_bytes(header, bits_per_pixel) / kMaxPerByte) {
    return data_loss("PNG claims {}x{} pixels, for which its {} bytes of image data cannot be enough",
                     header.height, header.width, data_bytes);
  }
  return ok_status();
}

}  // namespace

Result<ImageHeader> read_png_header(Bytes bytes) {
  size_t position = kPngSignatureBytes;
  FOREBAY_ASSIGN_OR_RETURN(PngChunk chunk, read_png_chunk(bytes, position));
  FOREBAY_ASSIGN_OR_RETURN(ImageHeader header, parse_header_chunk(chunk));
  const auto depth = static_cast<uint64_t>(chunk.data[8]);
  uint64_t data_bytes = 0;
  while (chunk.type != "IEND") {
    if (chunk.type == "eXIf" && has_right_checksum(chunk)) {
      header.orientation = exif_orientation_of(chunk.data);
    } else if (chunk.type == "IDAT") {
      data_bytes += chunk.data.size();
    }
    position += chunk.data.size() + kPngChunkFrameBytes;
    FOREBAY_ASSIGN_OR_RETURN(chunk, read_png_chunk(bytes, position));
  }
  const uint64_t bits_per_pixel =
      header.index_bits > 0 ? depth : depth * static_cast<uint64_t>(header.channels);
  FOREBAY_RETURN_IF_ERROR(check_data_bytes(header, bits_per_pixel, data_bytes));
  if (header.is_progressive) {
    const uint64_t value_bytes = header.bit_depth > 8 ? 2 : 1;
    header.whole_image_bytes = static_cast<uint64_t>(header.height) * static_cast<uint64_t>(header.width) *
                               static_cast<uint64_t>(header.channels) * value_bytes;
  }
  return header;
}

}  // namespace forebay::codec
