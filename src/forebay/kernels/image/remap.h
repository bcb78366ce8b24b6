// Images sampled at any places: perspective warps, given maps, waves and spheres.
#pragma once

#include <span>

#include "absl/functional/function_ref.h"
#include "forebay/base/status.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class RemapFilter : uint8_t { kNearest, kLinear, kCubic };

struct RemapOptions {
  RemapFilter filter = RemapFilter::kLinear;
  Border border = Border::kConstant;
  FillValues fill;  // what lies outside, for kConstant
  /// Halves are rounded away from zero, of places for kNearest and of values; else to even.
  bool halves_away = false;
};

/// Sets where the pixels of output row `y` lie in the input; the centre of the first pixel is (0, 0). Places
/// that are no numbers lie outside.
using RemapRow = absl::FunctionRef<void(int64_t y, std::span<float> xs, std::span<float> ys)>;

/// `in` and `out` are HWC of the same channels and type: uint8, uint16, int16, int32 or float. Computed as
/// float; integers of up to 16 bits are rounded to the nearest, halves as the options say. Cubic
/// weights are those of Keys' spline with a = -0.75, as OpenCV's. invalid_argument where something does not
/// fit. Takes scratch memory for a row of places.
Status remap(const tensor::TensorView& in, const RemapOptions& options, RemapRow row,
             const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
