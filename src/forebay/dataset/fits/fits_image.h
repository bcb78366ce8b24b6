// Images in FITS files (FITS standard 4.0, sections 3, 4 and 7.1): units of a header, which is lines of 80
// characters in blocks of 2880 bytes, and big-endian data in such blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/fits/fits_tiles.h"
#include "forebay/tensor/tensor.h"

namespace forebay::dataset {

/// One unit of a file: its header and data.
struct FitsUnit {
  bool is_image = false;
  bool is_compressed = false;  // an image in the tiles of a table
  int64_t bits = 8;            // of an element; negative: a float
  tensor::Shape shape;         // the last axis is the file's first, so that rows are rows
  double scale = 1;            // an element's value is zero + scale * what is stored
  double zero = 0;
  uint64_t data_offset = 0;
  uint64_t data_bytes = 0;
  uint64_t end = 0;                        // where the next unit begins
  std::shared_ptr<const FitsTiles> tiles;  // of a compressed image; borrows the file
  Status problem;                          // why a compressed image cannot be read

  /// The type that holds every value: the stored one, its unsigned twin where that is what `zero` says, else
  /// a float.
  tensor::DType dtype() const;
};

/// The unit that begins at `offset`. data_loss if it is malformed or extends past the file's end.
Result<FitsUnit> parse_fits_unit(Bytes file, uint64_t offset);

/// The units with these numbers, which begin at 1, in the order given. not_found if the file has fewer.
Result<std::vector<FitsUnit>> find_fits_units(Bytes file, std::span<const int64_t> numbers);

/// The values of an image, the tiles of a compressed one unpacked. unimplemented for a unit that is no image.
Result<tensor::Tensor> fits_image(Bytes file, const FitsUnit& unit);

}  // namespace forebay::dataset
