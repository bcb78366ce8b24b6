#include "forebay/codec/jpeg/jpeg_huffman.h"

#include <algorithm>

namespace forebay::codec {
namespace {

/// The entry for a code of `length` bits for `symbol`, when `following` bits after it are known.
JpegHuffmanTable::Entry entry_of(int length, int symbol, JpegHuffmanTable::Kind kind, uint32_t behind,
                                 int following) {
  const bool is_ac = kind == JpegHuffmanTable::Kind::kAc;
  const int run = is_ac ? symbol >> 4 : 0;
  const int size = is_ac ? symbol & 15 : symbol;
  const bool is_end = is_ac && size == 0 && run == 0;
  if (is_ac && size == 0 && run != 0 && run != JpegHuffmanTable::kRunOf16) {
    return {};
  }
  JpegHuffmanTable::Entry entry;
  entry.advance = static_cast<uint8_t>(is_end ? JpegHuffmanTable::kEndOfBlock : run + 1);
  if (size > following) {
    entry.value = static_cast<int16_t>(length << 4 | size);
    return entry;
  }
  entry.bits = static_cast<uint8_t>(length + size);
  if (size > 0) {
    entry.value = static_cast<int16_t>(extend_value(static_cast<int>(behind >> (following - size)), size));
  }
  return entry;
}

}  // namespace

void JpegHuffmanTable::build(const JHUFF_TBL& table, Kind kind) {
  if (is_built_ && std::ranges::equal(counts_, table.bits) && std::ranges::equal(values_, table.huffval)) {
    return;
  }
  is_built_ = true;
  std::ranges::copy(table.bits, counts_.begin());
  std::ranges::copy(table.huffval, values_.begin());
  entries_.fill({});
  symbols_.fill(0);
  uint32_t code = 0;
  int place = 0;
  for (int length = 1; length <= 16; ++length) {
    offsets_[length] = place - static_cast<int>(code);
    for (int i = 0; i < counts_[length]; ++i) {
      add_code(code++, length, values_[place++], kind);
    }
    limits_[length] = code << (16 - length);
    code <<= 1;
  }
}

void JpegHuffmanTable::add_code(uint32_t code, int length, uint8_t symbol, Kind kind) {
  const int following = kLookupBits - length;
  if (following < 0) {
    return;
  }
  for (uint32_t behind = 0; behind < 1U << following; ++behind) {
    const uint32_t index = code << following | behind;
    symbols_[index] = static_cast<uint16_t>(length << 8 | symbol);
    entries_[index] = entry_of(length, symbol, kind, behind, following);
  }
}

int JpegHuffmanTable::take_symbol(JpegBits& bits) const {
  const uint16_t known = symbols_[bits.peek(kLookupBits)];
  if (known != 0) {
    bits.drop(known >> 8);
    return known & 0xFF;
  }
  const uint32_t next = bits.peek(16);
  for (int length = kLookupBits + 1; length <= 16; ++length) {
    if (next < limits_[length]) {
      bits.drop(length);
      return values_[static_cast<size_t>(static_cast<int>(next >> (16 - length)) + offsets_[length]) & 0xFF];
    }
  }
  return -1;
}

}  // namespace forebay::codec
