// Images as arrays: height x width x channels, or several of one size in one array with a leading axis. Not
// differentiable.
#pragma once

#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Resizes with kernels::resample without antialiasing; uint8, int16, uint16 or float.
Result<Array> resize_image(const Array& image, int64_t height, int64_t width, kernels::ResampleFilter filter);

/// A rectangle in an image.
struct ImageWindow {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};

/// Crops to the window, which must lie inside, and mirrors left to right or top to bottom if requested. Any
/// element type.
Result<Array> crop_image(const Array& image, const ImageWindow& window, bool mirror_columns = false,
                         bool mirror_rows = false);

/// Moves channels to the front and converts to float, divided by 255. uint8, or any type that converts to
/// float.
Result<Array> image_to_tensor(const Array& image);

}  // namespace forebay::ndarray
