// Decodes the Huffman-coded image data of sequential JPEGs (ITU-T T.81 F.2) in place of libjpeg-turbo, which
// does the rest. libjpeg-turbo's own decoder ignores detectable damage: invalid codes, runs past the end of a
// block, left-over data. This one gives the same coefficients and reports all of it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

#include "forebay/base/byte_source.h"
#include "forebay/codec/jpeg/jpeg_bits.h"
#include "forebay/codec/jpeg/jpeg_huffman.h"

namespace forebay::codec {

/// Decodes one scan after another, of one image after another. Not thread safe.
class JpegScan {
 public:
  /// `bytes` begin with the image data of the scan whose header and tables are in `state`, checked by
  /// libjpeg.
  void start(const jpeg_decompress_struct& state, Bytes bytes);

  /// Decodes an MCU into its blocks, which must be zeroed; discards it if `blocks` is null.
  ScanDamage decode_mcu(JBLOCKROW* blocks);

  bool is_done() const { return mcus_left_ == 0; }

  /// The bytes not read yet; once the scan is done, from the following marker on.
  Bytes rest() const { return bits_.rest(); }

 private:
  struct Block {
    const JpegHuffmanTable* dc = nullptr;
    const JpegHuffmanTable* ac = nullptr;
    int component = 0;
    int most_dc = 0;
    const UINT16* quantisers = nullptr;
  };

  template <bool kKeeps>
  ScanDamage decode(JBLOCKROW* blocks);
  ScanDamage restart();

  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> dc_tables_;
  std::array<JpegHuffmanTable, NUM_HUFF_TBLS> ac_tables_;
  std::array<Block, D_MAX_BLOCKS_IN_MCU> blocks_;
  std::array<int, MAX_COMPS_IN_SCAN> last_dc_{};
  JpegBits bits_;
  uint64_t mcus_left_ = 0;
  int blocks_in_mcu_ = 0;
  unsigned restart_interval_ = 0;
  unsigned mcus_to_restart_ = 0;
  int next_restart_ = 0;
};

}  // namespace forebay::codec
