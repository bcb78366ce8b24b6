#include "forebay/codec/png/png_pieces.h"

#include <libdeflate.h>

#include <algorithm>

namespace forebay::codec {
namespace {

/// A chunk name that begins with a capital letter is critical: every decoder must know it.
bool is_critical(const PngChunk& chunk) {
  return chunk.type[0] >= 'A' && chunk.type[0] <= 'Z';
}

}  // namespace

void PngPieces::add(Bytes piece) {
  const bool goes_on = !pieces_.empty() && pieces_.back().data() + pieces_.back().size() == piece.data();
  if (goes_on) {
    pieces_.back() = Bytes(pieces_.back().data(), pieces_.back().size() + piece.size());
  } else {
    pieces_.push_back(piece);
  }
}

bool PngPieces::read(void* to, size_t size) {
  auto* target = static_cast<std::byte*>(to);
  while (size > 0 && piece_ < pieces_.size()) {
    const Bytes rest = pieces_[piece_].subspan(offset_);
    const size_t taken = std::min(size, rest.size());
    std::copy_n(rest.data(), taken, target);
    target += taken;
    size -= taken;
    offset_ += taken;
    if (taken == rest.size()) {
      ++piece_;
      offset_ = 0;
    }
  }
  return size == 0;
}

bool changes_pixels(const PngChunk& chunk) {
  return is_critical(chunk) || chunk.type == "gAMA" || chunk.type == "sRGB";
}

bool has_right_checksum(const PngChunk& chunk) {
  const uint32_t computed = libdeflate_crc32(0, chunk.type.data(), chunk.type.size() + chunk.data.size());
  return computed == png_u32({chunk.data.data() + chunk.data.size(), 4}, 0);
}

Result<PngPieces> needed_pieces(Bytes png) {
  PngPieces pieces;
  size_t position = kPngSignatureBytes;
  pieces.add(png.first(position));
  for (PngChunk chunk; chunk.type != "IDAT" && chunk.type != "IEND";) {
    FOREBAY_ASSIGN_OR_RETURN(chunk, read_png_chunk(png, position));
    const size_t chunk_bytes = chunk.data.size() + kPngChunkFrameBytes;
    if (changes_pixels(chunk)) {
      pieces.add(png.subspan(position, chunk_bytes));
    } else if (!has_right_checksum(chunk)) {
      return data_loss("PNG is broken: wrong checksum of the {} chunk at byte {}", chunk.type, position);
    }
    position += chunk_bytes;
  }
  pieces.add(png.subspan(position));
  return pieces;
}

}  // namespace forebay::codec
