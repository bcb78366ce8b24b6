// Adjustments of images with the numerics of torchvision's `transforms.v2.functional` on tensors: what is
// between 0 and the largest value is cut to an integer, not rounded, and grey is 0.2989 R + 0.587 G + 0.114
// B.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// What the amount means stands behind each; the others take none.
enum class Adjustment : uint8_t {
  kNone,
  kBrightness,    // factor, at least 0
  kContrast,      // factor, at least 0: 0 gives the mean of grey
  kSaturation,    // factor, at least 0: 0 gives grey
  kHue,           // part of a turn, -0.5 to 0.5
  kSharpness,     // factor, at least 0: 0 smooths by 3 x 3, 2 sharpens
  kPosterize,     // bits that stay, 0 to 8
  kSolarize,      // values from here on are inverted
  kAutocontrast,  // stretches each channel to the whole range
  kEqualize,      // levels the histogram of each channel out, as Pillow does
  kInvert,
  kGrayscale,  // all channels become grey
  kGamma,      // exponent, at least 0
};
inline constexpr int64_t kAdjustments = 13;

/// An image HWC of UINT8, or FLOAT from 0 to 1, with 1 or 3 channels; colours of one channel stay. `out` has
/// the spec of `in` and does not overlap it. invalid_argument for other images, and amounts out of range.
Status adjust_image(const tensor::TensorView& in, Adjustment adjustment, float amount,
                    const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
