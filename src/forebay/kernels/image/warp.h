// Sampling through affine maps: rotation and warp_affine, in two and three dimensions.
//
// Linear sampling is bilinear or trilinear.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/kernels/image/affine_matrix.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class WarpFilter : uint8_t { kNearest, kLinear };

struct WarpOptions {
  /// From output to input, in pixels with centres at (i + 0.5), in the order x, y(, z).
  AffineMatrix map{2};
  WarpFilter filter = WarpFilter::kLinear;
  /// The value outside the input, one for all channels; if not set, border pixels are repeated. Linear
  /// sampling converts it to the input's type and to the output's.
  std::optional<FillValues> fill;
};

/// HWC (2) or DHWC (3), of uint8, int16, uint16, int32 or float. Integers produce their own type or float;
/// float produces any of these. For sequences, call it once per frame.
Status warp(const tensor::TensorView& in, const WarpOptions& options, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
