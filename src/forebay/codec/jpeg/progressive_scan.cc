#include "forebay/codec/jpeg/progressive_scan.h"

#include "forebay/codec/jpeg/natural_order.h"

namespace forebay::codec {
namespace {

constexpr auto kNaturalOrder = natural_order<DCTSIZE2>();

bool take_bit(JpegBits& bits) {
  bits.fill();
  const bool bit = bits.peek(1) != 0;
  bits.drop(1);
  return bit;
}

/// How many blocks have no further coefficients, this one included; `size` bits of the number follow the
/// code.
int take_ended_blocks(JpegBits& bits, int size) {
  int count = 1 << size;
  if (size > 0) {
    count += static_cast<int>(bits.peek(size));
    bits.drop(size);
  }
  return count;
}

}  // namespace

void ProgressiveScan::prepare(const jpeg_decompress_struct& state) {
  first_ = state.Ss;
  last_ = state.Se;
  low_bit_ = 1 << state.Al;
  is_refinement_ = state.Ah != 0;
  ended_blocks_ = 0;
  last_dc_.fill(0);
  blocks_in_mcu_ = state.blocks_in_MCU;
  if (first_ != 0) {
    const int number = state.cur_comp_info[0]->ac_tbl_no;
    ac_tables_[number].build(*state.ac_huff_tbl_ptrs[number], JpegHuffmanTable::Kind::kAc);
    band_table_ = &ac_tables_[number];
    return;
  }
  for (int i = 0; i < blocks_in_mcu_ && !is_refinement_; ++i) {
    const int index = state.MCU_membership[i];
    const jpeg_component_info& component = *state.cur_comp_info[index];
    JpegHuffmanTable& table = dc_tables_[component.dc_tbl_no];
    table.build(*state.dc_huff_tbl_ptrs[component.dc_tbl_no], JpegHuffmanTable::Kind::kDc);
    blocks_[i] = {&table, index, most_dc(component) + low_bit_};
  }
}

ScanDamage ProgressiveScan::decode_blocks(JBLOCKROW* blocks) {
  if (first_ != 0) {
    return is_refinement_ ? refine_band(**blocks) : take_band(**blocks);
  }
  return is_refinement_ ? refine_means(blocks) : take_means(blocks);
}

ScanDamage ProgressiveScan::end_interval() {
  last_dc_.fill(0);
  return ended_blocks_ == 0 ? ScanDamage::kNone : ScanDamage::kTooManyEndedBlocks;
}

// Each of these works on a copy of the bits, which compilers keep in registers.

ScanDamage ProgressiveScan::take_means(JBLOCKROW* blocks) {
  JpegBits bits = bits_;
  ScanDamage damage = ScanDamage::kNone;
  for (int i = 0; i < blocks_in_mcu_ && damage == ScanDamage::kNone; ++i) {
    const Block& kind = blocks_[i];
    bits.fill();
    const int size = kind.table->take_symbol(bits);
    if (size < 0) {
      damage = ScanDamage::kBadCode;
      break;
    }
    int& last = last_dc_[kind.component];
    last += take_value(bits, size);
    const int dc = last * low_bit_;
    if (dc < -kind.most_dc || dc > kind.most_dc) {
      damage = ScanDamage::kDcOutOfRange;
    }
    (*blocks[i])[0] = static_cast<JCOEF>(dc);
  }
  bits_ = bits;
  return damage_or_end(bits, damage);
}

ScanDamage ProgressiveScan::refine_means(JBLOCKROW* blocks) {
  JpegBits bits = bits_;
  for (int i = 0; i < blocks_in_mcu_; ++i) {
    if (take_bit(bits)) {
      (*blocks[i])[0] = static_cast<JCOEF>((*blocks[i])[0] | low_bit_);
    }
  }
  bits_ = bits;
  return damage_or_end(bits, ScanDamage::kNone);
}

ScanDamage ProgressiveScan::take_band(JCOEF* block) {
  if (ended_blocks_ > 0) {
    --ended_blocks_;
    return ScanDamage::kNone;
  }
  JpegBits bits = bits_;
  ScanDamage damage = ScanDamage::kNone;
  for (int at = first_; at <= last_; ++at) {
    bits.fill();
    const int symbol = band_table_->take_symbol(bits);
    if (symbol < 0) {
      damage = ScanDamage::kBadCode;
      break;
    }
    const int run = symbol >> 4;
    const int size = symbol & 15;
    if (size == 0 && run != JpegHuffmanTable::kRunOf16) {
      ended_blocks_ = take_ended_blocks(bits, run) - 1;
      break;
    }
    at += run;
    if (at > last_) {
      damage = ScanDamage::kTooManyCoefficients;
    } else if (size != 0) {
      block[kNaturalOrder[at]] = static_cast<JCOEF>(take_value(bits, size) * low_bit_);
    }
  }
  bits_ = bits;
  return damage_or_end(bits, damage);
}

/// Reads a correction bit for each nonzero coefficient from `at` on, and stops at the zero that follows
/// `zeros` others. Returns its place, or the one after the band.
[[gnu::always_inline]] inline int ProgressiveScan::refine(JpegBits& bits, JCOEF* block, int at,
                                                          int zeros) const {
  for (; at <= last_; ++at) {
    JCOEF& coefficient = block[kNaturalOrder[at]];
    if (coefficient == 0) {
      if (zeros-- == 0) {
        break;
      }
    } else if (take_bit(bits) && (coefficient & low_bit_) == 0) {
      coefficient = static_cast<JCOEF>(coefficient + (coefficient > 0 ? low_bit_ : -low_bit_));
    }
  }
  return at;
}

ScanDamage ProgressiveScan::refine_band(JCOEF* block) {
  JpegBits bits = bits_;
  ScanDamage damage = ScanDamage::kNone;
  int at = first_;
  while (ended_blocks_ == 0 && at <= last_) {
    bits.fill();
    const int symbol = band_table_->take_symbol(bits);
    const int run = symbol >> 4;
    const int size = symbol & 15;
    if (symbol < 0 || size > 1) {
      damage = ScanDamage::kBadCode;
      break;
    }
    if (size == 0 && run != JpegHuffmanTable::kRunOf16) {
      ended_blocks_ = take_ended_blocks(bits, run);
      break;
    }
    const bool is_positive = size == 1 && take_bit(bits);
    at = refine(bits, block, at, run);
    if (at > last_) {
      damage = ScanDamage::kTooManyCoefficients;
      break;
    }
    if (size == 1) {
      block[kNaturalOrder[at]] = static_cast<JCOEF>(is_positive ? low_bit_ : -low_bit_);
    }
    ++at;
  }
  if (ended_blocks_ > 0) {
    refine(bits, block, at, DCTSIZE2);
    --ended_blocks_;
  }
  bits_ = bits;
  return damage_or_end(bits, damage);
}

}  // namespace forebay::codec
