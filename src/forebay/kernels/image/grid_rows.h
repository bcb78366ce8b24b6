// A grid of black squares over images: the rows of operators' `grid_mask`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace forebay::kernels {

/// The squares' corners are whole numbers of (u, v) = (x c - y s - sx, x s + y c - sy).
struct Grid {
  float cosine;
  float sine;
  float shift_x;
  float shift_y;
  float ratio;  // of a square to the distance of two
};

/// Copies row `y`, black where the grid is. `is_black` is room for a number each pixel.
void mask_grid_row(const Grid& grid, float y, size_t pixel_bytes, std::span<uint8_t> is_black,
                   const std::byte* from, std::byte* to);

}  // namespace forebay::kernels
