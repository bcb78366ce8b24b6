// RIFF: "Multimedia Programming Interface and Data Specifications 1.0" (IBM, Microsoft, 1991); RF64: EBU Tech
// 3306; Ogg pages: RFC 3533.
#include "forebay/codec/audio/audio_extent.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "forebay/codec/byte_order.h"

namespace forebay::codec {
namespace {

constexpr uint64_t kWavHeaderBytes = 12;
constexpr uint64_t kWavChunkBytes = 8;
constexpr uint32_t kUnknownWavLength = 0xFFFFFFFFu;
constexpr uint64_t kOggHeaderBytes = 27;
constexpr uint64_t kMostOggPageBytes = kOggHeaderBytes + 255 + 255 * 255;

std::string_view sound_text(Bytes bytes, uint64_t at, size_t length) {
  return {reinterpret_cast<const char*>(bytes.data()) + at, length};
}

/// Streams are written with a length that nobody knew: 0, the largest, or that less a header.
bool is_of_stream(uint64_t length) {
  return length == 0 || length >= kUnknownWavLength - 0xFFFF ||
         (length >= 0x7FFF0000u && length <= 0x80000000u);
}

Status check_riff(Bytes bytes) {
  uint64_t long_length = 0;  // of the samples of an RF64
  uint64_t at = kWavHeaderBytes;
  while (at + kWavChunkBytes <= bytes.size()) {
    const std::string_view name = sound_text(bytes, at, 4);
    uint64_t length = little_u32(bytes, at + 4);
    const uint64_t begin = at + kWavChunkBytes;
    if (name == "ds64" && begin + 16 <= bytes.size()) {
      long_length = little_u32(bytes, begin + 8) | uint64_t{little_u32(bytes, begin + 12)} << 32;
    }
    if (name == "data") {
      const bool is_long = length == kUnknownWavLength && long_length > 0;
      length = is_long ? long_length : length;
      if ((is_long || !is_of_stream(length)) && length > bytes.size() - begin) {
        return data_loss(
            "sound is cut off: its header says {} bytes of samples from byte {} on, the file has {}", length,
            begin, bytes.size() - begin);
      }
      return ok_status();
    }
    at = begin + length + length % 2;
  }
  return data_loss("sound is cut off or broken: a WAV of {} bytes without samples", bytes.size());
}

/// The pages that are cut off cannot be found again; the last whole one can.
Status check_ogg(Bytes bytes) {
  const uint64_t first = bytes.size() > kMostOggPageBytes ? bytes.size() - kMostOggPageBytes : 0;
  const std::string_view end = sound_text(bytes, first, bytes.size() - first);
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
  if (bytes.size() < kWavHeaderBytes) {
    return data_loss("no sound: {} bytes are too few for any header", bytes.size());
  }
  const std::string_view name = sound_text(bytes, 0, 4);
  if ((name == "RIFF" || name == "RF64") && sound_text(bytes, 8, 4) == "WAVE") {
    return check_riff(bytes);
  }
  return name == "OggS" ? check_ogg(bytes) : ok_status();
}

}  // namespace forebay::codec
