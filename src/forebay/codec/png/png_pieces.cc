#include "forebay/codec/png/png_pieces.h"

#include <libdeflate.h>

#include <algorithm>

namespace forebay::codec {
namespace {

/// A chunk name that begins with a capital letter is critical: every decoder must know it.
bool is_critical(const PngChunk& chunk) {
  return chunk.type[0] >= 'A' && chunk.type[0] <= 'Z';
}

bool is_named(const PngChunk& chunk) {
  return std::ranges::all_of(chunk.type, [](char letter) {
    return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
  });
}

Status wrong_checksum(const PngChunk& chunk, size_t position) {
  return data_loss("PNG is broken: wrong checksum of the {}chunk at byte {}",
                   is_named(chunk) ? fmt::format("{} ", chunk.type) : "", position);
}

void append_u32(std::vector<std::byte>& bytes, uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<std::byte>(value >> shift));
  }
}

/// The chunk, its length and checksum included.
Bytes framed(const PngChunk& chunk) {
  return {chunk.data.data() - 8, chunk.data.size() + kPngChunkFrameBytes};
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

void PngPieces::add(const PngChunk& chunk, size_t most_colours) {
  constexpr size_t kColourBytes = 3;
  constexpr size_t kMaxOfAll = 256;
  const size_t kept = most_colours * kColourBytes;
  const bool is_whole_palette =
      chunk.data.size() % kColourBytes == 0 && chunk.data.size() <= kMaxOfAll * kColourBytes;
  if (chunk.type != "PLTE" || !is_whole_palette || chunk.data.size() <= kept || !shortened_.empty()) {
    return add(framed(chunk));
  }
  append_u32(shortened_, static_cast<uint32_t>(kept));
  const Bytes named = framed(chunk).subspan(4, 4 + kept);
  shortened_.insert(shortened_.end(), named.begin(), named.end());
  append_u32(shortened_, libdeflate_crc32(0, named.data(), named.size()));
  add(Bytes(shortened_));
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

bool is_ancillary(const PngChunk& chunk) {
  return is_named(chunk) && !is_critical(chunk);
}

size_t most_colours(Bytes header) {
  constexpr auto kIndexed = std::byte{3};
  return size_t{1} << (header[9] == kIndexed ? static_cast<int>(header[8]) : 8);
}

Status check_image_data(Bytes png) {
  size_t position = kPngSignatureBytes;
  for (PngChunk chunk; chunk.type != "IEND";) {
    FOREBAY_ASSIGN_OR_RETURN(chunk, read_png_chunk(png, position));
    if (chunk.type == "IDAT" && !has_right_checksum(chunk)) {
      return wrong_checksum(chunk, position);
    }
    position += chunk.data.size() + kPngChunkFrameBytes;
  }
  return ok_status();
}

Result<PngPieces> needed_pieces(Bytes png) {
  PngPieces pieces;
  size_t position = kPngSignatureBytes;
  size_t colours = 0;
  pieces.add(png.first(position));
  for (PngChunk chunk; chunk.type != "IDAT" && chunk.type != "IEND";) {
    FOREBAY_ASSIGN_OR_RETURN(chunk, read_png_chunk(png, position));
    colours = position == kPngSignatureBytes ? most_colours(chunk.data) : colours;
    const bool is_data = chunk.type == "IDAT";  // checked as it is read
    if (!is_data && !has_right_checksum(chunk)) {
      if (!is_ancillary(chunk)) {
        return wrong_checksum(chunk, position);
      }
    } else if (changes_pixels(chunk)) {
      pieces.add(chunk, colours);
    }
    position += chunk.data.size() + kPngChunkFrameBytes;
  }
  pieces.add(png.subspan(position));
  return pieces;
}

}  // namespace forebay::codec
