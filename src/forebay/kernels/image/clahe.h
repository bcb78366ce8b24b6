// Contrast limited adaptive histogram equalization (Zuiderveld, "Contrast limited adaptive histogram
// equalization", Graphics Gems IV, 1994), as OpenCV does it: each tile has its own levels, and between the
// middles of tiles they are blended.
#pragma once

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct ClaheOptions {
  int64_t tiles_x = 8;
  int64_t tiles_y = 8;
  float clip_limit = 2;  // of a level's mean count; 0 or less: none
  /// Of three channels, red, green and blue, the lightness alone; else each channel by itself.
  bool is_lightness_only = true;
};

/// uint8 HWC of one or three channels; `out` has the same shape. invalid_argument where something does not
/// fit. Takes scratch memory for the tiles' levels.
Status clahe(const tensor::TensorView& in, const ClaheOptions& options, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
