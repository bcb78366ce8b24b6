// Reads the codebooks' sizes out of the third packet of a stream, and nothing else of it.
#include "forebay/codec/audio/vorbis_setup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "forebay/codec/byte_order.h"

namespace forebay::codec {
namespace {

constexpr uint64_t kMostEntries = uint64_t{1} << 16;
constexpr uint64_t kMostNumbers = uint64_t{1} << 20;
constexpr uint64_t kMostNumbersOfAll = uint64_t{1} << 22;
constexpr size_t kMostSetupBytes = size_t{1} << 20;  // those of encoders have some 4 to 8 KiB
constexpr size_t kPageHeaderBytes = 27;
constexpr uint32_t kCodebookSync = 0x564342;

bool is_vorbis_packet(const std::vector<std::byte>& packet, uint8_t kind) {
  constexpr std::string_view kName = "vorbis";
  return packet.size() > kName.size() && packet[0] == std::byte{kind} &&
         std::string_view(reinterpret_cast<const char*>(packet.data()) + 1, kName.size()) == kName;
}

/// The first three packets of the first stream, as far as they are there.
std::vector<std::vector<std::byte>> first_packets(Bytes bytes) {
  std::vector<std::vector<std::byte>> packets(1);
  std::optional<uint32_t> stream;
  size_t at = 0;
  while (at + kPageHeaderBytes <= bytes.size() && packets.size() <= 3) {
    const auto segments = static_cast<size_t>(bytes[at + 26]);
    const uint32_t serial = little_u32(bytes, at + 14);
    const bool is_wanted = stream.value_or(serial) == serial;
    stream = stream.value_or(serial);
    size_t data = at + kPageHeaderBytes + segments;
    for (size_t i = 0; i < segments && data <= bytes.size() && packets.size() <= 3; ++i) {
      const auto length = static_cast<size_t>(bytes[at + kPageHeaderBytes + i]);
      const size_t taken = std::min(length, bytes.size() - data);
      if (is_wanted && packets.back().size() < kMostSetupBytes) {
        packets.back().insert(packets.back().end(), bytes.begin() + static_cast<std::ptrdiff_t>(data),
                              bytes.begin() + static_cast<std::ptrdiff_t>(data + taken));
      }
      if (is_wanted && length < 255) {
        packets.emplace_back();
      }
      data += length;
    }
    size_t page_bytes = kPageHeaderBytes + segments;
    for (size_t i = 0; i < segments && at + kPageHeaderBytes + i < bytes.size(); ++i) {
      page_bytes += static_cast<size_t>(bytes[at + kPageHeaderBytes + i]);
    }
    at += page_bytes;
  }
  return packets;
}

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
  const uint64_t values = kind == 1 ? lattice_side(entries, dimensions) : uint64_t{entries} * dimensions;
  bits.skip(values * value_bits);
  return kind <= 2 && dimensions > 0;
}

}  // namespace

Status check_vorbis_codebooks(Bytes bytes) {
  if (bytes.size() < kPageHeaderBytes ||
      std::string_view(reinterpret_cast<const char*>(bytes.data()), 4) != "OggS") {
    return ok_status();
  }
  const std::vector<std::vector<std::byte>> packets = first_packets(bytes);
  if (packets.size() < 3 || !is_vorbis_packet(packets[0], 1) || !is_vorbis_packet(packets[2], 5)) {
    return ok_status();
  }
  LowBits bits(packets[2]);
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
    if (entries > kMostEntries || numbers > kMostNumbers || numbers_of_all > kMostNumbersOfAll) {
      return data_loss(
          "sound is broken: the Vorbis header's codebook {} has {} entries of {} numbers, more than any "
          "encoder "
          "makes",
          book, entries, dimensions);
    }
    skip_lengths(entries, bits);
    if (!skip_lookup(entries, dimensions, bits)) {
      return ok_status();
    }
  }
  return ok_status();
}

}  // namespace forebay::codec
