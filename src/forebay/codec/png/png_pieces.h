// A PNG as a list of pieces for libspng to read: chunks that a decoder does not need are left out, and image
// data may come from elsewhere. Nothing is concatenated.
#pragma once

#include <cstddef>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/codec/png/png_chunks.h"

namespace forebay::codec {

class PngPieces {
 public:
  PngPieces() = default;
  PngPieces(PngPieces&&) = default;
  PngPieces& operator=(PngPieces&&) = default;

  /// `piece` must outlive this object.
  void add(Bytes piece);

  /// Adds a chunk of a file that must outlive this object. Of a palette that has more than `most_colours`,
  /// which libspng refuses, the first ones are added.
  void add(const PngChunk& chunk, size_t most_colours);

  /// Copies the next `size` bytes; false if there are fewer.
  bool read(void* to, size_t size);

 private:
  std::vector<Bytes> pieces_;
  std::vector<std::byte> shortened_;  // the chunk of a palette
  size_t piece_ = 0;
  size_t offset_ = 0;  // in the current piece
};

/// Whether `chunk`, which precedes the image data, can change a delivered pixel. Texts, profiles and times
/// cannot, nor can tRNS, because transparency by colour is not applied.
bool changes_pixels(const PngChunk& chunk);

bool has_right_checksum(const PngChunk& chunk);

/// Whether a decoder may do without the chunk, as its name of letters says.
bool is_ancillary(const PngChunk& chunk);

/// How many colours the image's indices can name; those of any palette if it has no indices. `header`: the
/// data of the header chunk, whose size has been checked.
size_t most_colours(Bytes header);

/// data_loss if a chunk of image data has a wrong checksum.
Status check_image_data(Bytes png);

/// The file without those chunks before the image data that change no pixel, and without ancillary ones whose
/// checksum is wrong. data_loss if another one has a wrong checksum. `png` must outlive the result.
Result<PngPieces> needed_pieces(Bytes png);

}  // namespace forebay::codec
