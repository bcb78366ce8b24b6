// The largest (dilation) or smallest (erosion) element under a rectangle, for each channel by itself.
#pragma once

#include "forebay/base/status.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct MorphologyOptions {
  bool is_dilation = true;
  /// The rectangle, in pixels, and the pixel of it that lies over the one that is made.
  int64_t width = 3;
  int64_t height = 3;
  int64_t anchor_x = 1;
  int64_t anchor_y = 1;
  /// kConstant: what lies outside does not take part.
  Border border = Border::kConstant;
};

/// HWC of any type; `out` is of the same shape and type. Along each axis the extremes of runs of 2, 4, 8...
/// elements are made from each other, so that the cost grows with the logarithm of the rectangle's sides.
/// invalid_argument where shapes do not fit. Takes scratch memory for one image.
Status morphology(const tensor::TensorView& in, const MorphologyOptions& options,
                  const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
