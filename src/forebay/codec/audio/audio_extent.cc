// RIFF: "Multimedia Programming Interface and Data Specifications 1.0" (IBM, Microsoft, 1991); RF64: EBU Tech
// 3306; AIFF: "Audio Interchange File Format 1.3" (Apple, 1989); AU: the header file of Sun's audio; Ogg
// pages: RFC 3533.
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
Status check_behind_nothing(Bytes bytes, uint64_t end) {
  const uint64_t rest = bytes.size() - end;
  const bool is_chunk = rest >= kWavChunkBytes && little_u32(bytes, end + 4) <= rest - kWavChunkBytes;
  return rest <= 1 || is_chunk
             ? ok_status()
             : data_loss(
                   "sound is broken: its header says no samples, and {} bytes are behind it: a recording "
                   "that was never finished",
                   rest);
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
        return ends_too_early(length, begin, bytes.size() - begin);
      }
      return length == 0 ? check_behind_nothing(bytes, begin) : ok_status();
    }
    at = begin + length + length % 2;
  }
  return data_loss("sound is cut off or broken: a WAV of {} bytes without samples", bytes.size());
}

Status check_aiff(Bytes bytes) {
  uint64_t at = kWavHeaderBytes;
  while (at + kWavChunkBytes <= bytes.size()) {
    const uint64_t length = big_u32(bytes, at + 4);
    const uint64_t begin = at + kWavChunkBytes;
    if (sound_text(bytes, at, 4) == "SSND") {
      return length <= bytes.size() - begin ? ok_status()
                                            : ends_too_early(length, begin, bytes.size() - begin);
    }
    at = begin + length + length % 2;
  }
  return data_loss("sound is cut off or broken: an AIFF of {} bytes without samples", bytes.size());
}

Status check_au(Bytes bytes) {
  const uint64_t begin = big_u32(bytes, 4);
  const uint64_t length = big_u32(bytes, 8);
  const uint64_t there = bytes.size() - std::min<uint64_t>(begin, bytes.size());
  return length == kUnknownWavLength || length <= there ? ok_status() : ends_too_early(length, begin, there);
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
  if (name == "FORM" && sound_text(bytes, 8, 3) == "AIF") {
    return check_aiff(bytes);
  }
  if (name == ".snd") {
    return check_au(bytes);
  }
  return name == "OggS" ? check_ogg(bytes) : ok_status();
}

}  // namespace forebay::codec
