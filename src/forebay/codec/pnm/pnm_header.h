// The headers of Netpbm's formats: PBM, PGM and PPM as text (P1 to P3) and in binary (P4 to P6), and PAM
// (P7).
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

struct PnmLayout {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 0;        // 1 to 4; the last of 2 and 4 is alpha
  uint32_t max_value = 0;  // 1 to 65535
  bool is_text = false;
  bool is_packed = false;    // P4: eight pixels a byte
  bool is_inverted = false;  // PBM: 1 is black
  size_t data_at = 0;
  uint64_t row_bytes = 0;  // in binary
};

/// data_loss if the header is broken or the rest cannot hold the image.
Result<PnmLayout> read_pnm_layout(Bytes bytes);

inline bool is_pnm_space(std::byte byte) {
  const int value = static_cast<int>(byte);
  return value == ' ' || (value >= '\t' && value <= '\r');
}

inline bool is_pnm_digit(std::byte byte) {
  return byte >= std::byte{'0'} && byte <= std::byte{'9'};
}

}  // namespace forebay::codec
