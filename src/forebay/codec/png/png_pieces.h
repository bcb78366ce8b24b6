// A PNG for libspng to read, as a list of pieces: what a decoder does not need is left out, and image data
// may come from elsewhere. Nothing is joined together.
#pragma once

#include <cstddef>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/codec/png/png_chunks.h"

namespace forebay::codec {

class PngPieces {
 public:
  /// `piece` must outlive this.
  void add(Bytes piece);

  /// Copies the next `size` bytes; false when there are fewer.
  bool read(void* to, size_t size);

 private:
  std::vector<Bytes> pieces_;
  size_t piece_ = 0;
  size_t offset_ = 0;  // in the piece
};

/// Whether `chunk`, which comes before the image data, can change a pixel that is delivered. Texts, profiles
/// and times cannot, nor can tRNS: transparency by colour is not applied.
bool changes_pixels(const PngChunk& chunk);

bool has_right_checksum(const PngChunk& chunk);

/// The file without chunks before its image data that change no pixel. data_loss when the checksum of one of
/// these is wrong. `png` must outlive the result.
Result<PngPieces> needed_pieces(Bytes png);

}  // namespace forebay::codec
