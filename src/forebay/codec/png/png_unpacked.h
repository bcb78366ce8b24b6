// A PNG whose image data is no longer compressed. libdeflate inflates all of it at once, more than twice as
// fast as zlib a row at a time; libspng then reads the same file with that data in stored blocks, so that
// everything else about the format stays libspng's.
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
  /// Image data above this is left to be inflated row by row, in little memory.
  static constexpr size_t kMaxBytes = size_t{8} << 20;

  /// Null when the image is interlaced or large, and when anything is wrong with the file: libspng, given the
  /// file itself, says what. Checksums are right in what is returned and need not be looked at again; the new
  /// ones are not computed. `png` must outlive the result.
  static std::unique_ptr<UnpackedPng> make(Bytes png);

  /// Copies the next `size` bytes of the file; false when there are fewer.
  bool read(void* to, size_t size) { return pieces_.read(to, size); }

 private:
  static constexpr size_t kBlockBytes = 65535;  // the most that a stored block holds
  using Frame = std::array<std::byte, 8>;

  UnpackedPng() = default;
  bool unpack(Bytes png);
  bool inflate(const std::vector<Bytes>& parts, size_t packed_bytes);
  bool add_image_data(size_t bytes);
  void add_frame(std::initializer_list<unsigned> bytes);

  memory::BufferRef rows_;  // of the image, each with its filter's number in front
  std::vector<Frame> frames_;
  PngPieces pieces_;
};

}  // namespace forebay::codec
