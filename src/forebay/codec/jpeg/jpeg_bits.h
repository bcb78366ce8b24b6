// The bits of a JPEG scan (ITU-T T.81 F.2.2.5): stuffed zero bytes are dropped, and reading stops at a
// marker. Behind it the bits are zeros that are made up, so that a decoder need not ask before each code;
// whether it used any of them is asked once an MCU.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

/// What can be wrong with the image data of a scan.
enum class ScanDamage {
  kNone,
  kBadCode,              // bits that are no Huffman code of the table
  kTooManyCoefficients,  // a run of zeros beyond the end of its block
  kDcOutOfRange,         // a mean that no pixels have
  kEndsEarly,            // a marker before the last MCU is complete
  kExtraneousBytes,      // data behind the last MCU of a scan or a restart interval
  kWrongRestart,         // another marker than the restart marker that is due
};

std::string_view describe(ScanDamage damage);

/// A value that is copied into registers for an MCU's decoding and back. Borrows the bytes.
class JpegBits {
 public:
  /// Bits that are there after fill(): a code and the value that follows it have at most 31.
  static constexpr int kFilled = 32;

  JpegBits() = default;
  explicit JpegBits(Bytes bytes);
  // Member by member, so that compilers keep a local copy in registers.
  JpegBits(const JpegBits& other) { *this = other; }
  JpegBits& operator=(const JpegBits& other) {
    bits_ = other.bits_;
    next_ = other.next_;
    plain_end_ = other.plain_end_;
    end_ = other.end_;
    count_ = other.count_;
    made_up_ = other.made_up_;
    return *this;
  }

  void fill() {
    if (count_ >= kFilled) {
      return;
    }
    if (plain_end_ - next_ < static_cast<ptrdiff_t>(sizeof(uint64_t))) {
      *this = filled_by_bytes(*this);
      return;
    }
    uint64_t word = 0;
    std::memcpy(&word, next_, sizeof(word));
    if constexpr (std::endian::native == std::endian::little) {
      word = __builtin_bswap64(word);
    }
    bits_ |= word >> count_;
    next_ += (63 - count_) >> 3;
    count_ |= 56;
  }

  /// The next 1 to 32 bits.
  uint32_t peek(int count) const { return static_cast<uint32_t>(bits_ >> (64 - count)); }

  void drop(int count) {
    bits_ <<= count;
    count_ -= count;
  }

  /// Bits that are filled in and not made up; negative when made up ones were dropped.
  int left() const { return count_ - made_up_; }

  /// Past what fills the last byte, to the marker that must follow. Zero bytes before it pass for filling:
  /// some cameras align their files so. kEndsEarly where no marker follows.
  ScanDamage end_segment();

  /// After end_segment(): past the marker when it is `marker` (0xD0 for the first restart marker).
  bool take_marker(int marker);

  /// From the next byte that is read on; after end_segment() from the marker on.
  Bytes rest() const { return std::as_bytes(std::span(next_, end_)); }

 private:
  static JpegBits filled_by_bytes(JpegBits bits);
  void add_byte(uint8_t byte);
  /// The first byte that is not 0xFF, from `next_` on.
  const uint8_t* behind_prefix() const;
  void find_plain_end();

  uint64_t bits_ = 0;  // the next at the top
  const uint8_t* next_ = nullptr;
  const uint8_t* plain_end_ = nullptr;  // no byte before it is 0xFF
  const uint8_t* end_ = nullptr;
  int count_ = 0;
  int made_up_ = 0;  // of `count_`, the last
};

}  // namespace forebay::codec
