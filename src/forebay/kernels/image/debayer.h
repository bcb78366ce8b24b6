// Colours from a sensor behind a Bayer mosaic: each pixel has measured one of red, green and blue.
//
// The results are OpenCV's, which also says what becomes of the border: it repeats the pixels next to it; for
// kGradients the mosaic is reflected.
#pragma once

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class DebayerMethod : uint8_t {
  kBilinear,   // means of the neighbours of a colour
  kEdgeAware,  // green along the direction in which it changes less
  kGradients,  // variable number of gradients (Chang, Cheung and Pang, "Color filter array recovery using a
               // threshold-based variable number of gradients", 1999); bytes alone
  kGray,       // the grey of what kBilinear gives, rounded once
};

/// `in` is HW of uint8 or uint16, `out` HWC of the same type with the channels red, green and blue, or one
/// for kGray. Blue lies at the rows and columns of the parity of `blue_y` and `blue_x`. Images without a
/// pixel that has all its neighbours become 0. invalid_argument where something does not fit. kGradients
/// takes scratch memory for the mosaic, and of images below 8 x 8 makes what kBilinear does.
Status debayer(const tensor::TensorView& in, DebayerMethod method, int blue_y, int blue_x,
               const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
