// A PNG whose image data has been decompressed in advance. libdeflate inflates all of it at once, more than
// twice as fast as zlib one row at a time. libspng then reads the same file with the data in stored blocks,
// so everything else about the format is still left to libspng.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/codec/png/png_pieces.h"
#include "forebay/memory/buffer.h"

namespace forebay::codec {

class UnpackedPng {
 public:
  /// Larger image data is inflated row by row instead, in little memory.
  static constexpr size_t kMaxBytes = size_t{8} << 20;

  /// Returns null if the image is interlaced or large, or if anything is wrong with the file: libspng, given
  /// the file itself, then reports the error. Checksums in the result have been checked and need not be
  /// checked again; the new ones are not computed. `png` must outlive the result.
  static std::unique_ptr<UnpackedPng> make(Bytes png);

  /// Copies the next `size` bytes of the file; false if there are fewer.
  bool read(void* to, size_t size) { return pieces_.read(to, size); }

 private:
  static constexpr size_t kBlockBytes = 65535;  // the maximum for a stored block
  using Frame = std::array<std::byte, 8>;

  UnpackedPng() = default;
  bool unpack(Bytes png);
  bool inflate(const std::vector<Bytes>& parts, size_t packed_bytes);
  bool add_image_data(size_t bytes);
  void add_frame(std::initializer_list<unsigned> bytes);

  memory::BufferRef rows_;  // the image's rows, each preceded by its filter type
  std::vector<Frame> frames_;
  PngPieces pieces_;
};

}  // namespace forebay::codec
