// Decodes the Huffman-coded image data of a JPEG scan (ITU-T T.81 F.2 and G.2) in place of libjpeg-turbo,
// which does the rest. libjpeg-turbo's own decoders ignore detectable damage: invalid codes, runs past the
// end of a block, left-over data. The classes derived from this one give the same coefficients and report all
// of it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

#include "forebay/base/byte_source.h"
#include "forebay/codec/jpeg/jpeg_bits.h"

namespace forebay::codec {

/// Decodes one scan after another, of one image after another. This class does what all kinds of scan share:
/// restart intervals and the end of the scan. Not thread safe.
class JpegScan {
 public:
  JpegScan() = default;
  virtual ~JpegScan() = default;
  JpegScan(const JpegScan&) = delete;
  JpegScan& operator=(const JpegScan&) = delete;

  /// `bytes` begin with the image data of the scan whose header and tables are in `state`, checked by
  /// libjpeg.
  void start(const jpeg_decompress_struct& state, Bytes bytes);

  /// Decodes an MCU into its blocks.
  ScanDamage decode_mcu(JBLOCKROW* blocks);

  bool is_done() const { return mcus_left_ == 0; }

  /// Once the last MCU was decoded: whether it took the last bits that are there, and what follows cannot
  /// belong to the image. If this was the last scan, the file's end marker is missing and nothing else is.
  bool has_open_end() const { return has_open_end_; }

  /// The bytes not read yet; once the scan is done, from the following marker on.
  Bytes rest() const { return bits_.rest(); }

 protected:
  /// Sets up what depends on the header and tables of the scan.
  virtual void prepare(const jpeg_decompress_struct& state) = 0;

  virtual ScanDamage decode_blocks(JBLOCKROW* blocks) = 0;

  /// Ends a restart interval: resets what carries over from one block to the next.
  virtual ScanDamage end_interval() = 0;

  /// The largest quantised mean that a block of the component can have.
  static int most_dc(const jpeg_component_info& component);

  /// Returns `damage`, or kEndsEarly if the code that it was found in lies past the end: the padding of the
  /// last byte, and made-up zeros, may look like any kind of damage.
  static ScanDamage damage_or_end(const JpegBits& bits, ScanDamage damage);

  JpegBits bits_;

 private:
  ScanDamage end_segment();
  ScanDamage restart();
  bool is_at_open_end() const;

  Bytes bytes_;
  bool has_open_end_ = false;
  bool has_corrections_ = false;  // bits that are no codes
  uint64_t mcus_left_ = 0;
  unsigned restart_interval_ = 0;
  unsigned mcus_to_restart_ = 0;
  int next_restart_ = 0;
};

}  // namespace forebay::codec
