// Resizing bit for bit as Pillow does it (Image.resize, libImaging/Resample.c, read as the specification):
// 8-bit images in fixed point with 22 fractional bits, horizontal pass rounded to uint8, then vertical; mode
// "F" images in float with double sums.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/kernels/image/image_view.h"

namespace forebay::kernels {

enum class PillowFilter : uint8_t { kNearest, kBox, kBilinear, kHamming, kBicubic, kLanczos };

/// The part of the input that is resized, in pixels; (0, 0, width, height) is all of it.
struct PillowBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// `out` gives the size. Any number of channels; each is resized for itself (Pillow does not premultiply RGBA
/// here, and neither does this; its `resize` method does so for modes "LA" and "RGBA"). invalid_argument when
/// the box is empty or leaves the input.
Status pillow_resize(const ImageView<uint8_t>& in, PillowFilter filter, const PillowBox& box,
                     const MutableImageView<uint8_t>& out);
Status pillow_resize(const ImageView<float>& in, PillowFilter filter, const PillowBox& box,
                     const MutableImageView<float>& out);

}  // namespace forebay::kernels
