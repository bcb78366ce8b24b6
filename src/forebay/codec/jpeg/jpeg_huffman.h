// A Huffman table of a JPEG (ITU-T T.81 annex C) as a decoder wants it: short codes are looked up together
// with the run of zeros and the value that follows them, in one step.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

#include "forebay/codec/jpeg/jpeg_bits.h"

namespace forebay::codec {

class JpegHuffmanTable {
 public:
  static constexpr int kLookupBits = 10;
  /// How far the end of a block moves on: beyond whatever a run may reach.
  static constexpr int kEndOfBlock = 128;

  /// A coefficient, looked up: `bits` in all, 0 when that does not fit the lookup.
  struct Entry {
    uint8_t bits = 0;
    uint8_t advance = 0;  // AC: coefficients, this one included; kEndOfBlock
    int16_t value = 0;
  };

  enum class Kind { kDc, kAc };

  /// `table` was checked by libjpeg. Does nothing when it is that of the call before.
  void build(const JHUFF_TBL& table, Kind kind);

  /// `bits` must be filled.
  Entry look_up(const JpegBits& bits) const { return entries_[bits.peek(kLookupBits)]; }

  /// Takes a code from `bits`, which must be filled; negative when they are none.
  int take_symbol(JpegBits& bits) const;

 private:
  void add_code(uint32_t code, int length, uint8_t symbol, Kind kind);

  std::array<Entry, 1 << kLookupBits> entries_;
  std::array<uint16_t, 1 << kLookupBits> symbols_;  // length << 8 | symbol; 0 for longer codes
  std::array<uint32_t, 17> limits_{};  // the first 16 bits of longer codes than the index are not below this
  std::array<int, 17> offsets_{};      // from a code of that length to its place in `values_`
  std::array<UINT8, 17> counts_{};
  std::array<UINT8, 256> values_{};
  bool is_built_ = false;
};

/// Takes the `size` bits of a value, 0 to 15 (T.81 F.2.2.1, EXTEND).
inline int take_value(JpegBits& bits, int size) {
  if (size == 0) {
    return 0;
  }
  const int value = static_cast<int>(bits.peek(size));
  bits.drop(size);
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

}  // namespace forebay::codec
