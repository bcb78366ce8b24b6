// The bits of a JPEG scan (ITU-T T.81 F.2.2.5): stuffed zero bytes are removed, and reading stops at a
// marker. Past it the reader makes up zero bits, so that a decoder need not check before each code; whether
// it used any of them is checked once per MCU.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

/// The kinds of damage in the image data of a scan.
enum class ScanDamage {
  kNone,
  kBadCode,              // bits that are not a code of the Huffman table
  kTooManyCoefficients,  // a run of zeros beyond the end of the block or band
  kTooManyEndedBlocks,   // a run of blocks beyond the end of the scan or interval
  kDcOutOfRange,         // a mean that pixels cannot have
  kEndsEarly,            // a marker before the last MCU is complete
  kExtraneousBytes,      // data after the last MCU of a scan or restart interval
  kWrongRestart,         // a marker other than the expected restart marker
};

std::string_view describe(ScanDamage damage);

/// A value type that is copied into registers while an MCU is decoded, and back. Borrows the bytes.
class JpegBits {
 public:
  /// Bits available after fill(): a code and the value after it have at most 31.
  static constexpr int kFilled = 32;

  JpegBits() = default;
  explicit JpegBits(Bytes bytes);
  // Copies member by member, so that compilers keep a local copy in registers.
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

  /// Returns the next 1 to 32 bits.
  uint32_t peek(int count) const { return static_cast<uint32_t>(bits_ >> (64 - count)); }

  void drop(int count) {
    bits_ <<= count;
    count_ -= count;
  }

  /// How many buffered bits are real; negative if made-up bits were consumed.
  int left() const { return count_ - made_up_; }

  /// Skips the padding of the last byte, up to the marker that must follow. Zero bytes before the marker
  /// count as padding, because some cameras align their files that way. kEndsEarly if no marker follows.
  ScanDamage end_segment();

  /// Whether no bits are left but those that fill the last byte, which are ones as the standard wants.
  bool is_at_filling() const {
    const int count = left();
    return count == 0 || (count > 0 && count < 8 && peek(count) == (uint32_t{1} << count) - 1);
  }

  /// After end_segment(): skips the marker if it is `marker` (0xD0 for the first restart marker).
  bool take_marker(int marker);

  /// The bytes not read yet; after end_segment(), from the marker on.
  Bytes rest() const { return std::as_bytes(std::span(next_, end_)); }

 private:
  static JpegBits filled_by_bytes(JpegBits bits);
  void add_byte(uint8_t byte);
  /// The first byte from `next_` on that is not 0xFF.
  const uint8_t* behind_prefix() const;
  void find_plain_end();

  uint64_t bits_ = 0;  // the next bit is the most significant one
  const uint8_t* next_ = nullptr;
  const uint8_t* plain_end_ = nullptr;  // no byte before it is 0xFF
  const uint8_t* end_ = nullptr;
  int count_ = 0;
  int made_up_ = 0;  // how many of the last of `count_` bits are made up
};

}  // namespace forebay::codec
