// Scans of sequential JPEGs (ITU-T T.81 F.2), which hold whole blocks: the mean and the other coefficients.
#pragma once

#include <array>

#include "forebay/codec/jpeg/jpeg_huffman.h"
#include "forebay/codec/jpeg/jpeg_scan.h"

namespace forebay::codec {

class SequentialScan final : public JpegScan {
 protected:
  void prepare(const jpeg_decompress_struct& state) override;

  /// The blocks must be zeroed; discards the MCU if `blocks` is null.
  ScanDamage decode_blocks(JBLOCKROW* blocks) override;

  ScanDamage end_interval() override;

 private:
  struct Block {
    const JpegHuffmanTable* dc = nullptr;
    const JpegHuffmanTable* ac = nullptr;
    int component = 0;
    int most_dc = 0;
  };

  template <bool kKeeps>
  ScanDamage decode(JBLOCKROW* blocks);

  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> dc_tables_;
  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> ac_tables_;
  std::array<Block, D_MAX_BLOCKS_IN_MCU> blocks_;
  std::array<int, MAX_COMPS_IN_SCAN> last_dc_{};
  int blocks_in_mcu_ = 0;
};

}  // namespace forebay::codec
