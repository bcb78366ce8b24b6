// The innermost loop of clahe: levels of the four tiles around a pixel, weighed.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// For the pixels of a row.
struct TilesOfRow {
  /// By pair of neighbouring columns of tiles and level of the pixel: the levels of the upper left, upper
  /// right, lower left and lower right tile, from the lowest byte on.
  const uint32_t* levels;
  const int32_t* pairs;  // where a pixel's pair begins in `levels`
  const float* right;    // a pixel's weight of the right tiles
  float lower;           // the weight of the lower ones
};

/// Rows are read and written in whole vectors: they have room for a multiple of this many pixels.
inline constexpr int64_t kRowOfTilesMultiple = 16;

void blend_tiles(const uint8_t* in, int64_t width, const TilesOfRow& tiles, uint8_t* out);

}  // namespace forebay::kernels
