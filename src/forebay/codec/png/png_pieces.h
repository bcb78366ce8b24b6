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
  /// `piece` must outlive this object.
  void add(Bytes piece);

  /// Copies the next `size` bytes; false if there are fewer.
  bool read(void* to, size_t size);

 private:
  std::vector<Bytes> pieces_;
  size_t piece_ = 0;
  size_t offset_ = 0;  // in the current piece
};

/// Whether `chunk`, which precedes the image data, can change a delivered pixel. Texts, profiles and times
/// cannot, nor can tRNS, because transparency by colour is not applied.
bool changes_pixels(const PngChunk& chunk);

bool has_right_checksum(const PngChunk& chunk);

/// The file without those chunks before the image data that change no pixel. data_loss if one of them has a
/// wrong checksum. `png` must outlive the result.
Result<PngPieces> needed_pieces(Bytes png);

}  // namespace forebay::codec
