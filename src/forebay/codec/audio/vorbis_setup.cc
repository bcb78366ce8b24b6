// The three headers of a Vorbis stream: found by libogg, the codebooks' sizes read here, the rest by
// libvorbis.
#include "forebay/codec/audio/vorbis_setup.h"

#include <ogg/ogg.h>
#include <vorbis/codec.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "forebay/codec/audio/ogg_pages.h"
#include "forebay/codec/byte_text.h"

namespace forebay::codec {
namespace {

constexpr uint64_t kMaxEntries = uint64_t{1} << 16;
constexpr uint64_t kMaxNumbers = uint64_t{1} << 20;
constexpr uint64_t kMaxNumbersOfAll = uint64_t{1} << 22;
constexpr uint32_t kCodebookSync = 0x564342;

/// The packets of the first stream of an Ogg file, one after the other.
class OggPackets {
 public:
  explicit OggPackets(Bytes bytes) : pages_(bytes) { ogg_stream_init(&stream_, 0); }
  ~OggPackets() { ogg_stream_clear(&stream_); }
  OggPackets(const OggPackets&) = delete;
  OggPackets& operator=(const OggPackets&) = delete;

  /// False at the end of the file, and where a piece is missing. What `packet` points to is this object's,
  /// until the next call.
  bool next(ogg_packet* packet) {
    int taken = ogg_stream_packetout(&stream_, packet);
    while (taken == 0 && take_page()) {
      taken = ogg_stream_packetout(&stream_, packet);
    }
    return taken == 1;
  }

 private:
  /// False at the end of the file.
  bool take_page() {
    ogg_page page{};
    if (!pages_.next(&page)) {
      return false;
    }
    if (!has_begun_) {
      ogg_stream_reset_serialno(&stream_, ogg_page_serialno(&page));
      has_begun_ = true;
    }
    ogg_stream_pagein(&stream_, &page);  // a page of another stream is passed over
    return true;
  }

  OggPages pages_;
  bool has_begun_ = false;
  ogg_stream_state stream_{};
};

/// What libvorbis makes of the headers.
class VorbisHeaders {
 public:
  VorbisHeaders() {
    vorbis_info_init(&info_);
    vorbis_comment_init(&comment_);
  }
  ~VorbisHeaders() {
    vorbis_comment_clear(&comment_);
    vorbis_info_clear(&info_);
  }
  VorbisHeaders(const VorbisHeaders&) = delete;
  VorbisHeaders& operator=(const VorbisHeaders&) = delete;

  /// False where it refuses a header.
  bool take(ogg_packet* packet) { return vorbis_synthesis_headerin(&info_, &comment_, packet) == 0; }

 private:
  vorbis_info info_{};
  vorbis_comment comment_{};
};

/// Bits from the lowest of each byte on. Behind the end are zeros, and is_over().
class LowBits {
 public:
  explicit LowBits(Bytes bytes) : bytes_(bytes) {}

  uint32_t read(int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      const bool is_set =
          at_ / 8 < bytes_.size() && ((static_cast<unsigned>(bytes_[at_ / 8]) >> (at_ % 8)) & 1) != 0;
      value |= static_cast<uint32_t>(is_set) << i;
    }
    return value;
  }
  void skip(uint64_t count) { at_ += count; }
  bool is_over() const { return at_ > uint64_t{8} * bytes_.size(); }

 private:
  const Bytes bytes_;
  uint64_t at_ = 0;
};

void skip_lengths(uint32_t entries, LowBits& bits) {
  if (bits.read(1) != 0) {  // ordered
    bits.skip(5);
    for (uint32_t done = 0; done < entries && !bits.is_over();) {
      done += bits.read(std::bit_width(entries - done));
    }
    return;
  }
  const bool is_sparse = bits.read(1) != 0;
  for (uint32_t i = 0; i < entries && !bits.is_over(); ++i) {
    if (!is_sparse || bits.read(1) != 0) {
      bits.skip(5);
    }
  }
}

/// The largest number whose power of `dimensions` is at most `entries`.
uint64_t lattice_side(uint32_t entries, uint32_t dimensions) {
  auto side = static_cast<uint64_t>(std::pow(static_cast<double>(entries), 1.0 / dimensions)) + 1;
  while (side > 0 && std::pow(static_cast<double>(side), static_cast<double>(dimensions)) > entries) {
    --side;
  }
  return side;
}

/// False where it is no codebook.
bool skip_lookup(uint32_t entries, uint32_t dimensions, LowBits& bits) {
  const uint32_t kind = bits.read(4);
  if (kind == 0) {
    return true;
  }
  bits.skip(64);
  const uint32_t value_bits = bits.read(4) + 1;
  bits.skip(1);
  if (kind > 2 || dimensions == 0) {
    return false;
  }
  const uint64_t values = kind == 1 ? lattice_side(entries, dimensions) : uint64_t{entries} * dimensions;
  bits.skip(values * value_bits);
  return true;
}

Status check_codebooks(Bytes setup) {
  LowBits bits(setup);
  bits.skip(7 * 8);
  const uint32_t books = bits.read(8) + 1;
  uint64_t numbers_of_all = 0;
  for (uint32_t book = 0; book < books && !bits.is_over(); ++book) {
    if (bits.read(24) != kCodebookSync) {
      return ok_status();
    }
    const uint32_t dimensions = bits.read(16);
    const uint32_t entries = bits.read(24);
    const uint64_t numbers = uint64_t{entries} * std::max<uint32_t>(dimensions, 1);
    numbers_of_all += numbers;
    if (entries > kMaxEntries || numbers > kMaxNumbers || numbers_of_all > kMaxNumbersOfAll) {
      return data_loss(
          "sound is broken: the Vorbis header's codebook {} has {} entries of {} numbers, more than any "
          "encoder makes",
          book, entries, dimensions);
    }
    skip_lengths(entries, bits);
    if (!skip_lookup(entries, dimensions, bits)) {
      return ok_status();
    }
  }
  return ok_status();
}

}  // namespace

Status check_vorbis_headers(Bytes bytes) {
  constexpr std::array kNames{"identification", "comment", "setup"};
  if (!begins_with(bytes, "OggS")) {
    return ok_status();
  }
  OggPackets packets(bytes);
  VorbisHeaders headers;
  for (size_t i = 0; i < kNames.size(); ++i) {
    ogg_packet packet{};
    const bool is_there = packets.next(&packet);
    if (i == 0 && (!is_there || vorbis_synthesis_idheader(&packet) != 1)) {
      return ok_status();
    }
    if (!is_there) {
      return data_loss("sound is broken: the Vorbis stream's {} header is missing or damaged", kNames[i]);
    }
    if (i == 2) {
      const auto* const setup = reinterpret_cast<const std::byte*>(packet.packet);
      FOREBAY_RETURN_IF_ERROR(check_codebooks({setup, static_cast<size_t>(packet.bytes)}));
    }
    if (!headers.take(&packet)) {
      return data_loss("sound is broken: the Vorbis stream's {} header is damaged", kNames[i]);
    }
  }
  return ok_status();
}

}  // namespace forebay::codec
