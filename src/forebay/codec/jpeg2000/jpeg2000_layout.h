// What a JPEG 2000 file says of its image, read without a decoder: boxes of JP2 (ISO/IEC 15444-1 annex I),
// and the main header and tile parts of the code stream (annex A).
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

enum class Jpeg2000Colours { kPlain, kYcc };

struct Jpeg2000Component {
  int bits = 0;
  bool is_signed = false;
  int64_t step_x = 1;  // of a sample, in pixels
  int64_t step_y = 1;
};

struct Jpeg2000Layout {
  bool is_boxed = false;  // JP2, not a code stream alone
  int64_t left = 0;       // of the image, on the reference grid
  int64_t top = 0;
  int64_t width = 0;
  int64_t height = 0;
  uint64_t tiles = 0;
  int levels = 0;                             // of resolution beside the full one, of every tile
  std::vector<Jpeg2000Component> components;  // as coded
  int palette_channels = 0;                   // 0: none
  int palette_bits = 0;
  int index_component = -1;  // the one whose samples name the palette's colours; -1: none, or several
  Jpeg2000Colours colours = Jpeg2000Colours::kPlain;

  int channels() const {
    return palette_channels > 0 ? palette_channels : static_cast<int>(components.size());
  }
  /// The largest precision of a channel.
  int bits() const;
  /// The precision of an index; 0 if there is none.
  int index_bits() const;
};

/// data_loss if the boxes or markers are broken, or a tile part or the end is missing; unimplemented for CMYK
/// and more than 16 bits.
Result<Jpeg2000Layout> read_jpeg2000_layout(Bytes bytes);

}  // namespace forebay::codec
