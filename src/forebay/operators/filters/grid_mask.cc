// grid_mask: a grid of black squares (Chen, Liu, Zhao, Jia, "GridMask Data Augmentation", 2020).
#include <cmath>
#include <span>

#include "forebay/kernels/image/grid_rows.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_axes.h"

namespace forebay::operators {
namespace {

using kernels::Grid;

struct GridMask {
  Arg<int64_t> tile = 100;
  Arg<float> ratio = 0.5f;
  Arg<float> angle = 0.0f;
  Arg<float> shift_x = 0.0f;
  Arg<float> shift_y = 0.0f;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const SpatialAxes axes, find_spatial_axes(in.spec()));
    if (axes.count != 2) {
      return invalid_argument("a grid is laid over images, not over {}", in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const Grid grid, grid_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {in.shape(), in.dtype(), axes.layout}));
    const int64_t height = in.shape()[axes.first];
    const size_t pixel_bytes = tensor::size_of(in.dtype()) * static_cast<size_t>(axes.channels);
    memory::ScratchArray<uint8_t> is_black(static_cast<size_t>(in.shape()[axes.first + 1]));
    const std::span<uint8_t> row_is_black(is_black.data(), is_black.size());
    const size_t row_bytes = is_black.size() * pixel_bytes;
    const auto* from = static_cast<const std::byte*>(in.data());
    auto* to = static_cast<std::byte*>(out.data);
    for (int64_t row = 0; row < axes.outer * height; ++row, from += row_bytes, to += row_bytes) {
      kernels::mask_grid_row(grid, static_cast<float>(row % height), pixel_bytes, row_is_black, from, to);
    }
    return ok_status();
  }

 private:
  Result<Grid> grid_of(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t length, tile.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float radians, angle.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float x, shift_x.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float y, shift_y.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float part, ratio.get(sample));
    if (length <= 0) {
      return invalid_argument("tile is {}; a tile has a positive length", length);
    }
    const auto of_tile = [&](double value) {
      return static_cast<float>(value / static_cast<double>(length));
    };
    return Grid{of_tile(std::cos(radians)), of_tile(std::sin(radians)), of_tile(x), of_tile(y), part};
  }
};

}  // namespace

OperatorSpec grid_mask() {
  return describe<GridMask>("grid_mask", "Blackens a grid of squares.")
      .input("data", "Images or sequences, in any layout.")
      .param("tile", &GridMask::tile, "From one square to the next, in pixels.")
      .param("ratio", &GridMask::ratio, "How much of that a square takes.")
      .param("angle", &GridMask::angle, "How far the grid is turned, in radians.")
      .param("shift_x", &GridMask::shift_x, "How far the turned grid is moved along x, in pixels.")
      .param("shift_y", &GridMask::shift_y, "How far it is moved along y.")
      .outputs("The image, 0 in the squares.")
      .matches("DALI grid_mask; equal on all targets but for the last bit of the C library's sine and cosine")
      .close()
      .build();
}

}  // namespace forebay::operators
