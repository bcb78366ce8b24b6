// The median of the elements under a rectangle, for each channel by itself.
#pragma once

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// HWC of uint8, uint16, int16 or float; `out` is of the same shape and type. The sides of the rectangle are
/// odd; outside, the outermost pixels repeat. Bytes under large rectangles are counted in histograms that
/// move along (Huang, Yang and Tang, "A fast two-dimensional median filtering algorithm", 1979).
/// invalid_argument where something does not fit. Takes scratch memory for one image.
Status median(const tensor::TensorView& in, int64_t width, int64_t height,
              const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
