// A scan of a JPEG (ITU-T T.81 F.2 and G.2), whose Huffman codes are decoded here in place of libjpeg-turbo,
// which does the rest. Its own decoders pass over damage that can be seen: bits that are no code, runs that
// leave their block, data that is left over. Those derived from this give the same coefficients and name all
// of that.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

#include "forebay/base/byte_source.h"
#include "forebay/codec/jpeg/jpeg_bits.h"

namespace forebay::codec {

/// Scan after scan of one image after another: its restart intervals, one MCU after the other. Not thread
/// safe.
class JpegScan {
 public:
  JpegScan() = default;
  virtual ~JpegScan() = default;
  JpegScan(const JpegScan&) = delete;
  JpegScan& operator=(const JpegScan&) = delete;

  /// `bytes` begin with the image data of the scan whose header and tables `state` holds, checked by libjpeg.
  void start(const jpeg_decompress_struct& state, Bytes bytes);

  /// Decodes an MCU into its blocks.
  ScanDamage decode_mcu(JBLOCKROW* blocks);

  bool is_done() const { return mcus_left_ == 0; }

  /// The bytes not read yet; once the scan is done, from the following marker on.
  Bytes rest() const { return bits_.rest(); }

 protected:
  /// Takes the tables and what else the header of the scan says.
  virtual void prepare(const jpeg_decompress_struct& state) = 0;

  virtual ScanDamage decode_blocks(JBLOCKROW* blocks) = 0;

  /// At the end of an interval: forgets what blocks know of those before them.
  virtual ScanDamage end_interval() = 0;

  /// The most that the mean of a block may be, before it is multiplied by its quantiser.
  static int most_dc(const jpeg_component_info& component);

  /// `damage`, found before `bits`; kEndsEarly if it is what lies behind the last code: what fills the last
  /// byte, and zeros that were made up, may look like any damage.
  static ScanDamage damage_or_end(const JpegBits& bits, ScanDamage damage);

  JpegBits bits_;

 private:
  ScanDamage end_segment();
  ScanDamage restart();

  uint64_t mcus_left_ = 0;
  unsigned restart_interval_ = 0;
  unsigned mcus_to_restart_ = 0;
  int next_restart_ = 0;
};

}  // namespace forebay::codec
