#include "forebay/codec/audio/sound_chunks.h"

#include <algorithm>

#include "forebay/codec/byte_order.h"
#include "forebay/codec/byte_text.h"

namespace forebay::codec {
namespace {

/// How a layout writes its chunks.
struct ChunkForm {
  uint64_t file_header_bytes;
  uint64_t name_bytes;
  uint64_t width_bytes;  // of the length
  bool is_big_endian;
  bool counts_header;    // in the length
  uint64_t multiple_of;  // where a chunk begins, counted from the one before
};

constexpr ChunkForm form_of(ChunkLayout layout) {
  switch (layout) {
    case ChunkLayout::kRiff:
      return {12, 4, 4, false, false, 2};
    case ChunkLayout::kRifx:
    case ChunkLayout::kAiff:
      return {12, 4, 4, true, false, 2};
    case ChunkLayout::kCaf:
      return {8, 4, 8, true, false, 1};
    case ChunkLayout::kWave64:
      return {40, 16, 8, false, true, 8};
  }
  return {};
}

std::optional<ChunkLayout> layout_by_name(Bytes bytes) {
  constexpr size_t kNeeded = 12;
  if (bytes.size() < kNeeded) {
    return std::nullopt;
  }
  const bool is_wave = has_text(bytes, 8, "WAVE");
  if (is_wave && (begins_with(bytes, "RIFF") || begins_with(bytes, "RF64"))) {
    return ChunkLayout::kRiff;
  }
  if (is_wave && begins_with(bytes, "RIFX")) {
    return ChunkLayout::kRifx;
  }
  if (begins_with(bytes, "FORM") && has_text(bytes, 8, "AIF")) {
    return ChunkLayout::kAiff;
  }
  if (begins_with(bytes, "caff")) {
    return ChunkLayout::kCaf;
  }
  return begins_with(bytes, "riff") ? std::optional(ChunkLayout::kWave64) : std::nullopt;
}

}  // namespace

std::optional<ChunkLayout> chunk_layout_of(Bytes bytes) {
  const std::optional<ChunkLayout> layout = layout_by_name(bytes);
  return layout && bytes.size() >= form_of(*layout).file_header_bytes ? layout : std::nullopt;
}

std::string_view name_of(ChunkLayout layout) {
  switch (layout) {
    case ChunkLayout::kRiff:
    case ChunkLayout::kRifx:
      return "WAV";
    case ChunkLayout::kAiff:
      return "AIFF";
    case ChunkLayout::kCaf:
      return "CAF";
    case ChunkLayout::kWave64:
      return "Wave64";
  }
  return "";
}

uint64_t chunk_number(Bytes bytes, uint64_t at, size_t width_bytes, ChunkLayout layout) {
  const bool is_big = form_of(layout).is_big_endian;
  const uint64_t first = is_big ? big_u32(bytes, at) : little_u32(bytes, at);
  if (width_bytes == 4) {
    return first;
  }
  const uint64_t second = is_big ? big_u32(bytes, at + 4) : little_u32(bytes, at + 4);
  return is_big ? first << 32 | second : second << 32 | first;
}

SoundChunks::SoundChunks(Bytes bytes, ChunkLayout layout)
    : bytes_(bytes), layout_(layout), at_(form_of(layout).file_header_bytes) {
}

std::optional<SoundChunk> SoundChunks::next() {
  const ChunkForm form = form_of(layout_);
  const uint64_t header_bytes = form.name_bytes + form.width_bytes;
  if (at_ > bytes_.size() || bytes_.size() - at_ < header_bytes) {
    return std::nullopt;
  }
  const uint64_t told = chunk_number(bytes_, at_ + form.name_bytes, form.width_bytes, layout_);
  SoundChunk chunk;
  chunk.name = text_in(bytes_.subspan(at_, 4));
  chunk.begin_bytes = at_ + header_bytes;
  chunk.length_bytes = form.counts_header ? told - std::min(told, header_bytes) : told;
  const uint64_t rest = bytes_.size() - chunk.begin_bytes;
  const uint64_t past = chunk.length_bytes % form.multiple_of;
  const uint64_t padding = past == 0 ? 0 : form.multiple_of - past;
  // What is longer than the file has nothing behind it, and its end may be no number.
  at_ = chunk.length_bytes > rest ? bytes_.size() : chunk.begin_bytes + chunk.length_bytes + padding;
  return chunk;
}

}  // namespace forebay::codec
