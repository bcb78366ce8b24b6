// A JPEG Huffman table (ITU-T T.81 annex C) in a form for decoding: short codes are looked up together with
// the run of zeros and the value that follow them, in one step.
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
  /// The advance for an end-of-block code: farther than any run reaches.
  static constexpr int kEndOfBlock = 128;
  /// The run of an AC symbol that, without a value, stands for 16 zeros.
  static constexpr int kRunOf16 = 15;

  /// A looked-up coefficient: `bits` is the total length. It is 0 where the value does not fit the lookup,
  /// and `value` then says where it is; `advance` is 0, too, where the code does not fit, or is none.
  struct Entry {
    uint8_t bits = 0;
    uint8_t advance = 0;  // AC: coefficients, including this one, or kEndOfBlock; DC: 1
    int16_t value = 0;

    int code_bits() const { return value >> 4; }
    int value_bits() const { return value & 15; }
  };

  enum class Kind { kDc, kAc };

  /// `table` must have been checked by libjpeg. Does nothing if it is the same as in the previous call.
  void build(const JHUFF_TBL& table, Kind kind);

  /// `bits` must be filled.
  Entry look_up(const JpegBits& bits) const { return entries_[bits.peek(kLookupBits)]; }

  /// Consumes a code from `bits`, which must be filled; negative if the bits are not a code.
  int take_symbol(JpegBits& bits) const;

 private:
  void add_code(uint32_t code, int length, uint8_t symbol, Kind kind);

  std::array<Entry, 1 << kLookupBits> entries_;
  std::array<uint16_t, 1 << kLookupBits> symbols_;  // length << 8 | symbol; 0 for longer codes
  std::array<uint32_t, 17> limits_{};               // 16-bit lower bounds of the codes longer than the index
  std::array<int, 17> offsets_{};                   // maps a code of that length to its index in `values_`
  std::array<UINT8, 17> counts_{};
  std::array<UINT8, 256> values_{};
  bool is_built_ = false;
};

/// The value that `size` bits stand for, 1 to 15 (T.81 F.2.2.1, EXTEND).
inline int extend_value(int value, int size) {
  const int is_negative = (value >> (size - 1)) - 1;  // all bits or none
  return value + (is_negative & (1 - (1 << size)));
}

/// Consumes the `size` bits of a value, 0 to 15.
inline int take_value(JpegBits& bits, int size) {
  if (size == 0) {
    return 0;
  }
  const int value = static_cast<int>(bits.peek(size));
  bits.drop(size);
  return extend_value(value, size);
}

}  // namespace forebay::codec
