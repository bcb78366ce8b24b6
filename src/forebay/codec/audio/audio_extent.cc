// Files of chunks by sound_chunks.h; AU: the header file of Sun's audio; Ogg pages: RFC 3533.
#include "forebay/codec/audio/audio_extent.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "forebay/codec/audio/sound_chunks.h"
#include "forebay/codec/byte_order.h"
#include "forebay/codec/byte_text.h"

namespace forebay::codec {
namespace {

constexpr uint64_t kLeastHeaderBytes = 12;
constexpr uint64_t kWavChunkBytes = 8;
constexpr uint32_t kUnknownWavLength = 0xFFFFFFFFu;
constexpr uint64_t kLeastOfWave64Stream = uint64_t{1} << 62;
constexpr uint64_t kOggHeaderBytes = 27;
constexpr uint64_t kMaxOggPageBytes = kOggHeaderBytes + 255 + 255 * 255;

/// Streams are written with a length that nobody knew: the largest, or that less a header.
bool is_of_stream(uint64_t length) {
  return length >= kUnknownWavLength - 0xFFFF || (length >= 0x7FFF0000u && length <= 0x80000000u);
}

Status ends_too_early(uint64_t length, uint64_t begin, uint64_t there) {
  return data_loss("sound is cut off: its header says {} bytes of samples from byte {} on, the file has {}",
                   length, begin, there);
}

/// What is behind samples without any is other chunks, or the samples of a recording whose length was never
/// written.
Status check_behind_nothing(Bytes bytes, uint64_t end, ChunkLayout layout) {
  const uint64_t rest = bytes.size() - end;
  const bool is_chunk =
      rest >= kWavChunkBytes && chunk_number(bytes, end + 4, 4, layout) <= rest - kWavChunkBytes;
  return rest <= 1 || is_chunk
             ? ok_status()
             : data_loss(
                   "sound is broken: its header says no samples, and {} bytes are behind it: a recording "
                   "that was never finished",
                   rest);
}

/// What is behind a length that is no length: samples to the end of the file.
bool is_of_stream(ChunkLayout layout, uint64_t length) {
  switch (layout) {
    case ChunkLayout::kCaf:
      return length == ~uint64_t{0};
    case ChunkLayout::kWave64:
      return length >= kLeastOfWave64Stream;
    case ChunkLayout::kRiff:
    case ChunkLayout::kRifx:
      return is_of_stream(length);
    case ChunkLayout::kAiff:
      return false;
  }
  return false;
}

/// The length of a chunk that an RF64 keeps in another one, with 64 bits; 0 for none.
uint64_t long_length_in(Bytes bytes, const SoundChunk& chunk) {
  const bool is_there = chunk.name == "ds64" && chunk.begin_bytes + 16 <= bytes.size();
  return is_there ? chunk_number(bytes, chunk.begin_bytes + 8, 8, ChunkLayout::kRiff) : 0;
}

Status check_samples(Bytes bytes, ChunkLayout layout, const SoundChunk& samples, uint64_t long_length) {
  const bool is_wav = layout == ChunkLayout::kRiff || layout == ChunkLayout::kRifx;
  const bool is_long = is_wav && samples.length_bytes == kUnknownWavLength && long_length > 0;
  const uint64_t length = is_long ? long_length : samples.length_bytes;
  const uint64_t there = bytes.size() - samples.begin_bytes;
  if ((is_long || !is_of_stream(layout, length)) && length > there) {
    return ends_too_early(length, samples.begin_bytes, there);
  }
  return is_wav && length == 0 ? check_behind_nothing(bytes, samples.begin_bytes, layout) : ok_status();
}

Status check_chunks(Bytes bytes, ChunkLayout layout) {
  const std::string_view name_of_samples = layout == ChunkLayout::kAiff ? "SSND" : "data";
  SoundChunks chunks(bytes, layout);
  uint64_t long_length = 0;
  bool has_samples = false;
  while (const std::optional<SoundChunk> chunk = chunks.next()) {
    long_length = std::max(long_length, long_length_in(bytes, *chunk));
    if (!has_samples && chunk->name == name_of_samples) {
      FOREBAY_RETURN_IF_ERROR(check_samples(bytes, layout, *chunk, long_length));
      has_samples = true;
      if (layout != ChunkLayout::kCaf) {
        break;
      }
    }
    // The lengths of a CAF's packets may be behind them.
    if (chunk->name == "pakt" && chunk->length_bytes > bytes.size() - chunk->begin_bytes) {
      return ends_too_early(chunk->length_bytes, chunk->begin_bytes, bytes.size() - chunk->begin_bytes);
    }
  }
  return has_samples ? ok_status()
                     : data_loss("sound is cut off or broken: {} {} of {} bytes without samples",
                                 layout == ChunkLayout::kAiff ? "an" : "a", name_of(layout), bytes.size());
}

Status check_au(Bytes bytes, bool is_big_endian) {
  const uint64_t begin = is_big_endian ? big_u32(bytes, 4) : little_u32(bytes, 4);
  const uint64_t length = is_big_endian ? big_u32(bytes, 8) : little_u32(bytes, 8);
  const uint64_t there = bytes.size() - std::min<uint64_t>(begin, bytes.size());
  return length == kUnknownWavLength || length <= there ? ok_status() : ends_too_early(length, begin, there);
}

/// The pages that are cut off cannot be found again; the last whole one can.
Status check_ogg(Bytes bytes) {
  const uint64_t first = bytes.size() > kMaxOggPageBytes ? bytes.size() - kMaxOggPageBytes : 0;
  const std::string_view end = text_in(bytes.subspan(first));
  const size_t found = end.rfind("OggS");
  if (found == std::string_view::npos) {
    return data_loss("sound is broken: no page of Ogg in the last {} bytes", end.size());
  }
  const uint64_t page = first + found;
  uint64_t page_bytes = kOggHeaderBytes;
  if (page + page_bytes <= bytes.size()) {
    const auto segments = static_cast<uint64_t>(bytes[page + 26]);
    page_bytes += segments;
    for (uint64_t i = 0; i < segments && page + kOggHeaderBytes + i < bytes.size(); ++i) {
      page_bytes += static_cast<uint64_t>(bytes[page + kOggHeaderBytes + i]);
    }
  }
  if (page + page_bytes > bytes.size()) {
    return data_loss("sound is cut off: the last page of Ogg, at byte {}, has {} bytes, the file {}", page,
                     page_bytes, bytes.size() - page);
  }
  constexpr auto kIsLast = std::byte{4};
  if ((bytes[page + 5] & kIsLast) == std::byte{0}) {
    return data_loss("sound is cut off: the last page of Ogg, at byte {}, is not marked as the last", page);
  }
  return ok_status();
}

}  // namespace

Status check_audio_extent(Bytes bytes) {
  if (bytes.size() < kLeastHeaderBytes) {
    return data_loss("no sound: {} bytes are too few for any header", bytes.size());
  }
  if (const std::optional<ChunkLayout> layout = chunk_layout_of(bytes)) {
    return check_chunks(bytes, *layout);
  }
  if (begins_with(bytes, "riff")) {
    return data_loss("sound is cut off: {} bytes are too few for the header of a Wave64", bytes.size());
  }
  const bool is_big_endian = begins_with(bytes, ".snd");
  if (is_big_endian || begins_with(bytes, "dns.")) {
    return check_au(bytes, is_big_endian);
  }
  return begins_with(bytes, "OggS") ? check_ogg(bytes) : ok_status();
}

}  // namespace forebay::codec
