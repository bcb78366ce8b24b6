// The headers of a BMP: the file header, then one of OS/2's (12, 16 or 64 bytes) or Windows' (40, 52, 56,
// 108, 124 bytes), masks, palette.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

enum class BmpCoding { kPlain, kRunLength4, kRunLength8, kRunLength24 };

/// The bits of a pixel that hold one channel; no bits if it is absent.
struct BmpMask {
  int shift = 0;
  int bits = 0;
};

struct BmpLayout {
  int64_t width = 0;
  int64_t height = 0;
  bool is_top_down = false;
  int bits_per_pixel = 0;
  BmpCoding coding = BmpCoding::kPlain;
  int channels = 3;                                   // 1: a palette of greys; 4: with alpha
  std::array<BmpMask, 4> masks;                       // red, green, blue, alpha; for 16 and 32 bits
  std::array<std::array<uint8_t, 3>, 256> palette{};  // red, green, blue; black where the file has none
  size_t data_at = 0;
  uint64_t row_bytes = 0;  // as stored without compression, filled up to four bytes
};

/// data_loss if the headers are broken or, without compression, if not all rows are there; unimplemented for
/// JPEG, PNG and fax images inside.
Result<BmpLayout> read_bmp_layout(Bytes bytes);

}  // namespace forebay::codec
