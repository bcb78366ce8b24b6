// grid_mask: a grid of black squares (Chen, Liu, Zhao, Jia, "GridMask Data Augmentation", 2020).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "forebay/memory/scratch.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_axes.h"

namespace forebay::operators {
namespace {

/// The squares' corners are whole numbers of (u, v) = (x c - y s - sx, x s + y c - sy).
struct Grid {
  float cosine;
  float sine;
  float shift_x;
  float shift_y;
  float ratio;

  /// value - std::floor(value), which is a call on old targets.
  static float fraction_of(float value) {
    constexpr float kWhole = 8388608.0f;  // from here on floats have no fraction
    const float part = std::abs(value) < kWhole ? value : value - value;
    const auto whole = static_cast<float>(static_cast<int32_t>(part == part ? part : 0.0f));
    return part - (whole > part ? whole - 1 : whole);
  }

  /// Which pixels of row `y` are black.
  void find_black(float y, std::span<uint8_t> is_black) const {
    for (size_t i = 0; i < is_black.size(); ++i) {
      const auto x = static_cast<float>(i);
      const float u = x * cosine - y * sine - shift_x;
      const float v = x * sine + y * cosine - shift_y;
      is_black[i] = static_cast<uint8_t>(static_cast<int>(fraction_of(u) < ratio) &
                                         static_cast<int>(fraction_of(v) < ratio));
    }
  }
};

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
      grid.find_black(static_cast<float>(row % height), row_is_black);
      mask_row(row_is_black, pixel_bytes, from, to);
    }
    return ok_status();
  }

 private:
  static void mask_row(std::span<const uint8_t> is_black, size_t pixel_bytes, const std::byte* from,
                       std::byte* to) {
    for (size_t at = 0; at < is_black.size();) {
      const auto begin = is_black.begin() + static_cast<std::ptrdiff_t>(at);
      const auto run = static_cast<size_t>(std::find(begin, is_black.end(), 1 - *begin) - begin);
      if (*begin != 0) {
        std::memset(to + at * pixel_bytes, 0, run * pixel_bytes);
      } else {
        // copy: pixels of a row
        std::memcpy(to + at * pixel_bytes, from + at * pixel_bytes, run * pixel_bytes);
      }
      at += run;
    }
  }

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
