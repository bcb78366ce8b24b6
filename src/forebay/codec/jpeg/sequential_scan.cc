#include "forebay/codec/jpeg/sequential_scan.h"

#include "forebay/codec/jpeg/natural_order.h"

namespace forebay::codec {
namespace {

/// A run may lead past the end of the block, and the end of a block is coded as a long run: both map to the
/// last coefficient, which is still zero then.
constexpr auto kPaddedOrder = natural_order<DCTSIZE2 + JpegHuffmanTable::kEndOfBlock>();

/// A code and its value that are too long for one lookup; `symbol` is negative if the bits are not a code.
struct LongCode {
  JpegBits bits;
  int symbol = 0;
  int value = 0;
};

/// Takes and returns the bits by value, so the caller's copy stays in registers.
[[gnu::noinline]] LongCode take_long(JpegBits bits, const JpegHuffmanTable& table) {
  const int symbol = table.take_symbol(bits);
  const int value = symbol < 0 ? 0 : take_value(bits, symbol & 15);
  return {bits, symbol, value};
}

/// The advance for a symbol of an AC table; 0 for symbols that sequential images do not have.
int advance_of(int symbol) {
  const int run = symbol >> 4;
  if ((symbol & 15) != 0 || run == JpegHuffmanTable::kRunOf16) {
    return run + 1;
  }
  return run == 0 ? JpegHuffmanTable::kEndOfBlock : 0;
}

/// Consumes a DC value's difference from the previous one; false for invalid bits.
[[gnu::always_inline]] inline bool take_difference(JpegBits& bits, const JpegHuffmanTable& table,
                                                   int& difference) {
  bits.fill();
  const JpegHuffmanTable::Entry entry = table.look_up(bits);
  if (entry.bits != 0) [[likely]] {
    bits.drop(entry.bits);
    difference = entry.value;
    return true;
  }
  const LongCode code = take_long(bits, table);
  bits = code.bits;
  difference = code.value;
  return code.symbol >= 0;
}

/// Consumes the coefficients after the first.
template <bool kKeeps>
[[gnu::always_inline]] inline ScanDamage take_coefficients(JpegBits& bits, const JpegHuffmanTable& table,
                                                           JCOEF* block) {
  int at = 1;
  while (at < DCTSIZE2) {
    bits.fill();
    const JpegHuffmanTable::Entry entry = table.look_up(bits);
    int value = entry.value;
    if (entry.bits != 0) [[likely]] {
      bits.drop(entry.bits);
      at += entry.advance;
    } else if (entry.advance != 0) [[likely]] {
      bits.drop(entry.code_bits());
      value = take_value(bits, entry.value_bits());
      at += entry.advance;
    } else {
      const LongCode code = take_long(bits, table);
      const int advance = code.symbol < 0 ? 0 : advance_of(code.symbol);
      if (advance == 0) {
        return ScanDamage::kBadCode;
      }
      bits = code.bits;
      at += advance;
      value = code.value;
    }
    if constexpr (kKeeps) {
      block[kPaddedOrder[at - 1]] = static_cast<JCOEF>(value);
    }
  }
  const bool left_block = at > DCTSIZE2 && at < JpegHuffmanTable::kEndOfBlock;
  return left_block ? ScanDamage::kTooManyCoefficients : ScanDamage::kNone;
}

}  // namespace

void SequentialScan::prepare(const jpeg_decompress_struct& state) {
  blocks_in_mcu_ = state.blocks_in_MCU;
  for (int i = 0; i < blocks_in_mcu_; ++i) {
    const int index = state.MCU_membership[i];
    const jpeg_component_info& component = *state.cur_comp_info[index];
    JpegHuffmanTable& dc = dc_tables_[component.dc_tbl_no];
    JpegHuffmanTable& ac = ac_tables_[component.ac_tbl_no];
    dc.build(*state.dc_huff_tbl_ptrs[component.dc_tbl_no], JpegHuffmanTable::Kind::kDc);
    ac.build(*state.ac_huff_tbl_ptrs[component.ac_tbl_no], JpegHuffmanTable::Kind::kAc);
    blocks_[i] = {&dc, &ac, index, most_dc(component)};
  }
  last_dc_.fill(0);
}

ScanDamage SequentialScan::decode_blocks(JBLOCKROW* blocks) {
  return blocks == nullptr ? decode<false>(blocks) : decode<true>(blocks);
}

ScanDamage SequentialScan::end_interval() {
  last_dc_.fill(0);
  return ScanDamage::kNone;
}

template <bool kKeeps>
ScanDamage SequentialScan::decode(JBLOCKROW* blocks) {
  JpegBits bits = bits_;
  ScanDamage damage = ScanDamage::kNone;
  for (int i = 0; i < blocks_in_mcu_ && damage == ScanDamage::kNone; ++i) {
    const Block& kind = blocks_[i];
    JCOEF* const block = kKeeps ? *blocks[i] : nullptr;
    int difference = 0;
    if (!take_difference(bits, *kind.dc, difference)) {
      damage = ScanDamage::kBadCode;
      break;
    }
    const int dc = last_dc_[kind.component] + difference;
    last_dc_[kind.component] = dc;
    if (dc < -kind.most_dc || dc > kind.most_dc) {
      damage = ScanDamage::kDcOutOfRange;
      break;
    }
    if constexpr (kKeeps) {
      block[0] = static_cast<JCOEF>(dc);
    }
    damage = take_coefficients<kKeeps>(bits, *kind.ac, block);
  }
  bits_ = bits;
  return damage_or_end(bits, damage);
}

}  // namespace forebay::codec
