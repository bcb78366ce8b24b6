#include "forebay/codec/jpeg/jpeg_scan.h"

#include <algorithm>

namespace forebay::codec {
namespace {

constexpr int kRunOf16 = 15;
constexpr int kFirstRestartMarker = 0xD0;
/// The maximum for 8-bit pixels is eight times 128; the rest is tolerance for encoders with a coarse
/// transform.
constexpr int kMostDc = 1024 + 32;

/// Maps file order to block order (T.81 figure A.6). A run may lead past the end of the block, and the end of
/// a block is coded as a long run: both map to the last coefficient, which is still zero then.
constexpr std::array<uint8_t, 64 + JpegHuffmanTable::kEndOfBlock> natural_order() {
  std::array<uint8_t, 64 + JpegHuffmanTable::kEndOfBlock> order{};
  order.fill(63);
  int y = 0;
  int x = 0;
  for (int i = 0; i < 64; ++i) {
    order[i] = static_cast<uint8_t>(y * 8 + x);
    const bool goes_up = (y + x) % 2 == 0;
    const bool is_at_right = x == 7;
    const bool is_at_bottom = y == 7;
    if (goes_up) {
      y = is_at_right ? y + 1 : std::max(y - 1, 0);
      x = is_at_right ? x : x + 1;
    } else {
      x = is_at_bottom ? x + 1 : std::max(x - 1, 0);
      y = is_at_bottom ? y : y + 1;
    }
  }
  return order;
}

constexpr auto kNaturalOrder = natural_order();

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
  if ((symbol & 15) != 0 || run == kRunOf16) {
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
      block[kNaturalOrder[at - 1]] = static_cast<JCOEF>(value);
    }
  }
  const bool left_block = at > DCTSIZE2 && at < JpegHuffmanTable::kEndOfBlock;
  return left_block ? ScanDamage::kTooManyCoefficients : ScanDamage::kNone;
}

}  // namespace

void JpegScan::start(const jpeg_decompress_struct& state, Bytes bytes) {
  bits_ = JpegBits(bytes);
  mcus_left_ = uint64_t{state.MCUs_per_row} * state.MCU_rows_in_scan;
  blocks_in_mcu_ = state.blocks_in_MCU;
  for (int i = 0; i < blocks_in_mcu_; ++i) {
    const int index = state.MCU_membership[i];
    const jpeg_component_info& component = *state.cur_comp_info[index];
    JpegHuffmanTable& dc = dc_tables_[component.dc_tbl_no];
    JpegHuffmanTable& ac = ac_tables_[component.ac_tbl_no];
    dc.build(*state.dc_huff_tbl_ptrs[component.dc_tbl_no], JpegHuffmanTable::Kind::kDc);
    ac.build(*state.ac_huff_tbl_ptrs[component.ac_tbl_no], JpegHuffmanTable::Kind::kAc);
    const int quantiser = component.quant_table == nullptr ? 1 : component.quant_table->quantval[0];
    blocks_[i] = {&dc, &ac, index, kMostDc / std::max(quantiser, 1) + 1};
  }
  last_dc_.fill(0);
  restart_interval_ = state.restart_interval;
  mcus_to_restart_ = restart_interval_;
  next_restart_ = 0;
}

ScanDamage JpegScan::decode_mcu(JBLOCKROW* blocks) {
  if (restart_interval_ != 0 && mcus_to_restart_-- == 0) {
    if (const ScanDamage damage = restart(); damage != ScanDamage::kNone) {
      return damage;
    }
  }
  --mcus_left_;
  const ScanDamage damage = blocks == nullptr ? decode<false>(blocks) : decode<true>(blocks);
  return damage == ScanDamage::kNone && is_done() ? bits_.end_segment() : damage;
}

template <bool kKeeps>
ScanDamage JpegScan::decode(JBLOCKROW* blocks) {
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
  // The padding of the last byte, and made-up zeros, may look like any kind of damage.
  const bool is_at_end = bits.left() < (damage == ScanDamage::kBadCode ? 16 : 0);
  return is_at_end ? ScanDamage::kEndsEarly : damage;
}

ScanDamage JpegScan::restart() {
  if (const ScanDamage damage = bits_.end_segment(); damage != ScanDamage::kNone) {
    return damage;
  }
  if (!bits_.take_marker(kFirstRestartMarker + next_restart_)) {
    return ScanDamage::kWrongRestart;
  }
  next_restart_ = (next_restart_ + 1) % 8;
  mcus_to_restart_ = restart_interval_ - 1;
  last_dc_.fill(0);
  return ScanDamage::kNone;
}

}  // namespace forebay::codec
