// Compressed images in FITS files: tiles in the rows of a table (FITS standard 4.0, section 10).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/fits/fits_header.h"
#include "forebay/tensor/shape.h"

namespace forebay::dataset {

/// A column of the table.
struct FitsColumn {
  uint64_t offset_bytes = 0;  // in a row
  char type = 0;              // 'P' and 'Q': where the bytes are in the heap; 'D', 'E', 'J'...
  char element = 0;           // of what is in the heap
};

/// How an image is cut into tiles and these are packed. Borrows the file's bytes.
struct FitsTiles {
  enum class Method : uint8_t { kRice, kGzip, kGzipShuffled, kNone };
  enum class Dither : uint8_t { kNone, kFirst, kSecond };

  Method method = Method::kNone;
  int64_t bits = 8;     // of an element of the image; negative: a float
  tensor::Shape shape;  // the last axis is the file's first
  tensor::Shape tile;
  int64_t rice_block = 32;
  int rice_bytes = 4;

  bool is_quantized = false;  // floats that are stored as integers
  double scale = 1;           // of these, where no column says it for each tile
  double zero = 0;
  std::optional<int64_t> blank;  // the integer that stands for no value
  Dither dither = Dither::kNone;
  int64_t dither_seed = 1;

  uint64_t row_bytes = 0;
  uint64_t rows = 0;
  Bytes table;
  Bytes heap;
  std::optional<FitsColumn> packed;
  std::optional<FitsColumn> packed_by_gzip;  // of tiles that could not be quantized
  std::optional<FitsColumn> plain;
  std::optional<FitsColumn> scales;
  std::optional<FitsColumn> zeros;
  std::optional<FitsColumn> blanks;
};

/// `data`: the table and the heap behind it. data_loss if the header contradicts itself; unimplemented for
/// PLIO_1, HCOMPRESS_1 and what the standard does not have.
Result<FitsTiles> parse_fits_tiles(const FitsHeader& header, Bytes data);

/// The image as an image unit has it: big-endian elements of `bits`. data_loss if a tile is damaged.
Result<std::vector<std::byte>> unpack_fits_tiles(const FitsTiles& tiles);

}  // namespace forebay::dataset
