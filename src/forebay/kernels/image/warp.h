// Sampling through affine maps: rotation and warp_affine, in two and three dimensions.
//
// Linear sampling is bi- or trilinear.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/kernels/image/affine_map.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class WarpFilter : uint8_t { kNearest, kLinear };

struct WarpOptions {
  AffineMap map;
  WarpFilter filter = WarpFilter::kLinear;
  /// The value outside the input; without it border pixels are repeated. Linear sampling takes it as an
  /// element of both types, the output's and the input's.
  std::optional<float> fill;
};

/// HWC (2) or DHWC (3), of uint8, int16, uint16, int32 or float. Integers give their own type or float, float
/// any of these. Sequences: once a frame.
Status warp(const tensor::TensorView& in, const WarpOptions& options, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
