#include "forebay/codec/png/png_unpacked.h"

#include <libdeflate.h>

#include <algorithm>

#include "forebay/codec/png/png_chunks.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

libdeflate_decompressor* decompressor_of_this_thread() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  return decompressor.get();
}

/// The size of the rows with their filter bytes; 0 for an interlaced or too large image. The header has been
/// checked.
size_t image_data_bytes(Bytes header) {
  constexpr std::array<uint64_t, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
  const uint64_t width = png_u32(header, 0);
  const uint64_t height = png_u32(header, 4);
  const auto depth = static_cast<uint64_t>(header[8]);
  const auto colour_type = static_cast<size_t>(header[9]);
  const bool is_interlaced = header[12] != std::byte{0};
  if (is_interlaced || colour_type >= kChannels.size() || height == 0) {
    return 0;
  }
  const uint64_t row_bytes = 1 + (width * kChannels[colour_type] * depth + 7) / 8;
  return row_bytes > UnpackedPng::kMaxBytes / height ? 0 : row_bytes * height;
}

constexpr unsigned byte_of(size_t value, int index) {
  return static_cast<unsigned>(value >> (8 * index)) & 0xFFU;
}

}  // namespace

std::unique_ptr<UnpackedPng> UnpackedPng::make(Bytes png) {
  std::unique_ptr<UnpackedPng> unpacked(new UnpackedPng());
  return unpacked->unpack(png) ? std::move(unpacked) : nullptr;
}

bool UnpackedPng::unpack(Bytes png) {
  size_t position = kPngSignatureBytes;
  size_t row_bytes = 0;
  size_t colours = 0;
  size_t packed_bytes = 0;
  std::vector<Bytes> parts;
  pieces_.add(png.first(position));
  for (PngChunk chunk; chunk.type != "IEND";) {
    const Result<PngChunk> read = read_png_chunk(png, position);
    if (!read.ok()) {
      return false;
    }
    const bool is_right = has_right_checksum(*read);
    if (!is_right && !is_ancillary(*read)) {
      return false;
    }
    const bool may_be_data = parts.empty() || chunk.type == "IDAT";  // these chunks must be consecutive
    chunk = *read;
    const size_t chunk_bytes = chunk.data.size() + kPngChunkFrameBytes;
    if (chunk.type != "IDAT") {
      if (position == kPngSignatureBytes) {
        row_bytes = image_data_bytes(chunk.data);
        colours = most_colours(chunk.data);
      }
      if (is_right && (changes_pixels(chunk) || !parts.empty())) {
        pieces_.add(chunk, colours);
      }
    } else {
      if (row_bytes == 0 || !may_be_data || (parts.empty() && !add_image_data(row_bytes))) {
        return false;
      }
      parts.push_back(chunk.data);
      packed_bytes += chunk.data.size();
    }
    position += chunk_bytes;
  }
  return !parts.empty() && inflate(parts, packed_bytes);
}

bool UnpackedPng::inflate(const std::vector<Bytes>& parts, size_t packed_bytes) {
  Bytes packed = parts.front();
  memory::BufferRef joined;
  if (parts.size() > 1) {
    auto buffer = memory::Buffer::allocate(packed_bytes);
    if (!buffer.ok()) {
      return false;
    }
    joined = *std::move(buffer);
    size_t at = 0;
    for (const Bytes part : parts) {
      memory::copy(joined->mutable_bytes().data() + at, part.data(), part.size());
      at += part.size();
    }
    packed = joined->bytes().first(packed_bytes);
  }
  libdeflate_decompressor* decompressor = decompressor_of_this_thread();
  return decompressor != nullptr &&
         libdeflate_zlib_decompress(decompressor, packed.data(), packed.size(), rows_->data(),
                                    rows_->size_bytes(), nullptr) == LIBDEFLATE_SUCCESS;
}

// Writes the data as a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
bool UnpackedPng::add_image_data(size_t bytes) {
  auto buffer = memory::Buffer::allocate(bytes);
  if (!buffer.ok()) {
    return false;
  }
  rows_ = *std::move(buffer);
  const size_t blocks = (bytes + kBlockBytes - 1) / kBlockBytes;
  constexpr size_t kStreamHeader = 2;
  constexpr size_t kBlockHeader = 5;
  constexpr size_t kChecksum = 4;
  const size_t length = kStreamHeader + blocks * kBlockHeader + bytes + kChecksum;
  frames_.reserve(blocks + 3);  // pieces point into it, so it must not reallocate
  add_frame(
      {byte_of(length, 3), byte_of(length, 2), byte_of(length, 1), byte_of(length, 0), 'I', 'D', 'A', 'T'});
  add_frame({0x78, 0x01});
  for (size_t at = 0; at < bytes; at += kBlockBytes) {
    const size_t size = std::min(kBlockBytes, bytes - at);
    const bool is_last = at + size == bytes;
    add_frame({is_last ? 1U : 0U, byte_of(size, 0), byte_of(size, 1), byte_of(~size, 0), byte_of(~size, 1)});
    pieces_.add(rows_->bytes().subspan(at, size));
  }
  add_frame({0, 0, 0, 0, 0, 0, 0, 0});  // the checksums of the stream and of the chunk
  return true;
}

void UnpackedPng::add_frame(std::initializer_list<unsigned> bytes) {
  Frame& frame = frames_.emplace_back();
  std::transform(bytes.begin(), bytes.end(), frame.begin(), [](unsigned byte) { return std::byte(byte); });
  pieces_.add(Bytes(frame).first(bytes.size()));
}

}  // namespace forebay::codec
