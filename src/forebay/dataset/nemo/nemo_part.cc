#include "forebay/dataset/nemo/nemo_part.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "forebay/codec/audio/sound_chunks.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kLeastFormatBytes = 16;
constexpr uint64_t kMaxFormatBytes = 64;

/// Little-endian, as this machine; the caller sees to it that the bytes are there.
template <class Number>
Number riff_number(Bytes bytes, uint64_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(number));  // copy: a few bytes
  return number;
}

std::string_view riff_text(Bytes bytes, uint64_t at, uint64_t length) {
  return {reinterpret_cast<const char*>(bytes.data()) + at, length};
}

std::string riff_chunk(std::string_view name, uint64_t length) {
  const auto number = static_cast<uint32_t>(length);
  std::string chunk(name);
  chunk.append(reinterpret_cast<const char*>(&number), sizeof(number));
  return chunk;
}

/// The chunks of a WAV that tell where its frames are.
struct WavFrames {
  std::string_view format;    // what the chunk holds
  uint64_t offset_bytes = 0;  // of the first frame
  uint64_t length_bytes = 0;
};

std::optional<WavFrames> frames_in(Bytes head) {
  if (codec::chunk_layout_of(head) != codec::ChunkLayout::kRiff || riff_text(head, 0, 4) != "RIFF") {
    return std::nullopt;  // an RF64 keeps its length elsewhere
  }
  WavFrames found;
  codec::SoundChunks chunks(head, codec::ChunkLayout::kRiff);
  while (const std::optional<codec::SoundChunk> chunk = chunks.next()) {
    const uint64_t length = chunk->length_bytes;
    if (chunk->name == "data") {
      found.offset_bytes = chunk->begin_bytes;
      found.length_bytes = length;
      return found.format.empty() ? std::nullopt : std::optional(found);
    }
    const bool is_format = chunk->name == "fmt " && length >= kLeastFormatBytes && length <= kMaxFormatBytes;
    if (is_format && length <= head.size() - chunk->begin_bytes) {
      found.format = riff_text(head, chunk->begin_bytes, length);
    }
  }
  return std::nullopt;
}

struct WavFormat {
  int64_t rate_hz = 0;
  uint64_t frame_bytes = 0;
};

/// Of samples of whole bytes each.
std::optional<WavFormat> format_of(std::string_view chunk) {
  constexpr uint16_t kIntegers = 1;
  constexpr uint16_t kFloats = 3;
  constexpr uint16_t kExtensible = 0xFFFE;
  const Bytes bytes = std::as_bytes(std::span(chunk));
  const auto kind = riff_number<uint16_t>(bytes, 0);
  const auto channels = riff_number<uint16_t>(bytes, 2);
  const auto rate = riff_number<uint32_t>(bytes, 4);
  const auto frame_bytes = riff_number<uint16_t>(bytes, 12);
  const auto bits = riff_number<uint16_t>(bytes, 14);
  const bool is_plain = kind == kIntegers || kind == kFloats || kind == kExtensible;
  if (!is_plain || channels == 0 || rate == 0 || bits == 0 || bits % 8 != 0 ||
      frame_bytes != channels * (bits / 8)) {
    return std::nullopt;
  }
  return WavFormat{rate, frame_bytes};
}

}  // namespace

Result<FramePart> frames_of_part(int64_t frames, int64_t rate_hz, double offset_s, double duration_s) {
  const auto rate = static_cast<double>(rate_hz);
  FramePart part{0, frames};
  if (offset_s > 0) {
    const double first = std::floor(offset_s * rate);
    if (first >= static_cast<double>(frames)) {
      return data_loss("the part from {} s on begins behind the end of the sound, which has {} s", offset_s,
                       static_cast<double>(frames) / rate);
    }
    part.first = static_cast<int64_t>(first);
    part.count = frames - part.first;
  }
  if (duration_s >= 0) {
    part.count =
        static_cast<int64_t>(std::min(std::floor(duration_s * rate), static_cast<double>(part.count)));
  }
  return part;
}

std::optional<WavPart> wav_part(Bytes head, uint64_t file_bytes, double offset_s, double duration_s) {
  const std::optional<WavFrames> frames = frames_in(head);
  const std::optional<WavFormat> format = frames ? format_of(frames->format) : std::nullopt;
  if (!format || frames->length_bytes == 0 || frames->offset_bytes > file_bytes ||
      frames->length_bytes > file_bytes - frames->offset_bytes) {
    return std::nullopt;
  }
  const auto count = static_cast<int64_t>(frames->length_bytes / format->frame_bytes);
  const Result<FramePart> part = frames_of_part(count, format->rate_hz, offset_s, duration_s);
  if (!part.ok() || part->count == 0) {
    return std::nullopt;
  }
  WavPart found;
  found.offset_bytes = frames->offset_bytes + static_cast<uint64_t>(part->first) * format->frame_bytes;
  found.length_bytes = static_cast<uint64_t>(part->count) * format->frame_bytes;
  const std::string inside = "WAVE" + riff_chunk("fmt ", frames->format.size()) +
                             std::string(frames->format) + std::string(frames->format.size() % 2, '\0') +
                             riff_chunk("data", found.length_bytes);
  found.header = riff_chunk("RIFF", inside.size() + found.length_bytes) + inside;
  return found;
}

}  // namespace forebay::dataset
