// Separable convolution of images, volumes and lines: a window of odd length along each axis, and beyond the
// ends the reflection that does not repeat the outermost element.
//
// `exact`: sums in float, taps in order by fused multiply-adds, the innermost axis first, so the bits depend
// on no target.
#pragma once

#include <array>
#include <span>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

inline constexpr int kMaxConvolvedAxes = 3;

/// The window of each axis, outermost first; a window of one element 1 leaves its axis.
using ConvolutionWindows = std::array<std::span<const float>, kMaxConvolvedAxes>;

/// `in` has 1 to 3 axes to convolve and behind them one of channels (which may be 1). `out` is float or the
/// type of `in` (rounded half away from zero, saturated), of the same shape. invalid_argument for windows of
/// even length or none. Takes scratch memory for as many lines as a window is long; in three axes for the
/// volume.
Status convolve(const tensor::TensorView& in, const ConvolutionWindows& windows,
                const tensor::MutableTensorView& out);

/// sum_i scales[i] * convolve(in, windows[i]), over as many i as there are axes: the Laplacian, where
/// window i of windows[i] is a second derivative.
Status convolve_sum(const tensor::TensorView& in, std::span<const ConvolutionWindows> windows,
                    std::span<const float> scales, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
