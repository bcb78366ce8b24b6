// The scans of progressive JPEGs (ITU-T T.81 G.2): the means of all blocks, or a band of the other
// coefficients of one channel, without their low bits at first, which later scans add one by one.
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

  ScanDamage take_means(JpegBits& bits, JBLOCKROW* blocks);
  void refine_means(JpegBits& bits, JBLOCKROW* blocks) const;
  ScanDamage take_band(JpegBits& bits, JCOEF* block);
  ScanDamage refine_band(JpegBits& bits, JCOEF* block);
  int refine(JpegBits& bits, JCOEF* block, int at, int zeros) const;

  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> dc_tables_;
  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> ac_tables_;
  std::array<Block, D_MAX_BLOCKS_IN_MCU> blocks_;
  std::array<int, MAX_COMPS_IN_SCAN> last_dc_{};
  const JpegHuffmanTable* band_table_ = nullptr;
  int blocks_in_mcu_ = 0;
  int first_ = 0;  // of the band
  int last_ = 0;
  int low_bit_ = 1;  // of the coefficients so far
  bool is_refinement_ = false;
  int ended_blocks_ = 0;  // the next so many blocks have no new coefficients
};

}  // namespace forebay::codec
