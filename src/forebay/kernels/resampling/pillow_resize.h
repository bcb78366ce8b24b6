// Resizes bit for bit like Pillow (Image.resize, libImaging/Resample.c, read as the specification): 8-bit
// images in fixed point with 22 fractional bits, the horizontal pass rounded to uint8, then vertical; mode
// "F" images in float with double sums.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/kernels/pixels/image_view.h"

namespace forebay::kernels {

enum class PillowFilter : uint8_t { kNearest, kBox, kBilinear, kHamming, kBicubic, kLanczos };

/// The part of the input to resize, in pixels; (0, 0, width, height) is all of it.
struct PillowBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// `out` determines the size. Any number of channels, each resized separately. (Neither Pillow's resampling
/// core nor this premultiplies RGBA; Pillow's `resize` method does so for modes "LA" and "RGBA".)
/// invalid_argument if the box is empty or extends outside the input.
Status pillow_resize(const ImageView<uint8_t>& in, PillowFilter filter, const PillowBox& box,
                     const MutableImageView<uint8_t>& out);
Status pillow_resize(const ImageView<float>& in, PillowFilter filter, const PillowBox& box,
                     const MutableImageView<float>& out);

}  // namespace forebay::kernels
