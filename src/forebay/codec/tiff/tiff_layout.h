// How a TIFF stores its pixels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/tiff/tiff_file.h"

namespace forebay::codec {

/// What the samples mean.
enum class TiffColours {
  kPlain,     // grey or RGB, with alpha or other channels behind
  kInverted,  // grey, with 0 for white
  kPalette,
  kInks,   // cyan, magenta, yellow, black
  kOther,  // YCbCr, Lab: libtiff makes RGB of 8 bits of them
};

struct TiffLayout {
  int64_t width = 0;
  int64_t height = 0;
  int samples = 0;  // a pixel, as stored
  int bits = 0;     // a sample
  bool is_float = false;
  bool is_planar = false;  // a plane for each sample
  bool is_tiled = false;
  TiffColours colours = TiffColours::kPlain;
  int64_t part_height = 0;  // of a strip or tile
  int64_t part_width = 0;   // of a tile; of a strip the image's
  uint64_t part_bytes = 0;  // a strip or tile, uncompressed
  int orientation = 1;
  std::array<const uint16_t*, 3> palette{};  // 2^bits values each, in libtiff's memory
  bool has_bands = false;                    // is read by whole strips or tiles, a row of them at a time
};

/// data_loss if the tags contradict each other or the file is too small for them, unimplemented for codings
/// and sample formats that are not supported. `bytes` is the size of the file.
Result<TiffLayout> read_tiff_layout(TiffFile& file, uint64_t bytes);

/// Where the first row is, if all rows are stored one after the other as plain bytes; else 0.
uint64_t tiff_rows_in_one_piece(TiffFile& file, const TiffLayout& layout);

/// The header of an image that is stored like that.
ImageHeader tiff_header_of(const TiffLayout& layout);

}  // namespace forebay::codec
