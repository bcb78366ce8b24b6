// Scans of progressive JPEGs (ITU-T T.81 G.2). A scan holds the means of all blocks, or one band of the other
// coefficients of one channel; either without their low bits, or one more bit of each.
#pragma once

#include <array>

#include "forebay/codec/jpeg/jpeg_huffman.h"
#include "forebay/codec/jpeg/jpeg_scan.h"

namespace forebay::codec {

class ProgressiveScan final : public JpegScan {
 protected:
  void prepare(const jpeg_decompress_struct& state) override;
  ScanDamage decode_blocks(JBLOCKROW* blocks) override;
  ScanDamage end_interval() override;

 private:
  struct Block {
    const JpegHuffmanTable* table = nullptr;
    int component = 0;
    int most_dc = 0;
  };

  ScanDamage take_means(JBLOCKROW* blocks);
  ScanDamage refine_means(JBLOCKROW* blocks);
  ScanDamage take_band(JCOEF* block);
  ScanDamage refine_band(JCOEF* block);
  int refine(JpegBits& bits, JCOEF* block, int at, int zeros) const;

  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> dc_tables_;
  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> ac_tables_;
  std::array<Block, D_MAX_BLOCKS_IN_MCU> blocks_;
  std::array<int, MAX_COMPS_IN_SCAN> last_dc_{};
  const JpegHuffmanTable* band_table_ = nullptr;
  int blocks_in_mcu_ = 0;
  int first_ = 0;  // of the band
  int last_ = 0;
  int low_bit_ = 1;  // the lowest bit that this scan sets
  bool is_refinement_ = false;
  int ended_blocks_ = 0;  // how many of the next blocks have no new coefficients
};

}  // namespace forebay::codec
