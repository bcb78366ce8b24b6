// BMPs for tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace forebay::codec::testing {

struct BmpOptions {
  int height = 0;
  int width = 0;
  int bits = 24;
  uint32_t header_bytes = 40;
  uint32_t compression = 0;  // 1, 2: runs, and of OS/2 4; 3, 6: masks
  bool is_top_down = false;
  std::vector<std::array<uint8_t, 3>> palette;  // red, green, blue
  std::vector<uint32_t> masks;                  // red, green, blue, alpha
};

/// `values`: the stored value of each pixel: its index, or its bits.
std::vector<std::byte> encode_bmp(std::span<const uint32_t> values, const BmpOptions& options);

}  // namespace forebay::codec::testing
