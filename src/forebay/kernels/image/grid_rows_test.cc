// Rows of a grid against the plain formula, at widths around those of vectors, near and far.
#include "forebay/kernels/image/grid_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace forebay::kernels {
namespace {

TEST(GridRows, AreBlackWhereTheFormulaSays) {
  for (const float shift : {0.0f, 0.7f, 3e7f, -1e30f, std::numeric_limits<float>::infinity()}) {
    const Grid grid{0.013f, 0.021f, shift, -0.4f, 0.4f};
    for (size_t width = 1; width < 70; ++width) {
      std::vector<std::byte> in(3 * width, std::byte{9});
      std::vector<std::byte> out(in.size());
      std::vector<uint8_t> is_black(width);
      mask_grid_row(grid, 5, 3, is_black, in.data(), out.data());
      for (size_t x = 0; x < width; ++x) {
        const float at = static_cast<float>(x);
        const float u = at * grid.cosine - 5 * grid.sine - grid.shift_x;
        const float v = at * grid.sine + 5 * grid.cosine - grid.shift_y;
        const bool expected = u - std::floor(u) < grid.ratio && v - std::floor(v) < grid.ratio;
        ASSERT_EQ(out[3 * x], std::byte{expected ? uint8_t{0} : uint8_t{9}}) << x << " of " << width;
        ASSERT_EQ(out[3 * x], out[3 * x + 2]);
      }
    }
  }
}

}  // namespace
}  // namespace forebay::kernels
