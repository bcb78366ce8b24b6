// Crop, mirror, normalise, convert and transpose in one pass, as DALI's operator of that name:
// out = scale * (in - mean) / std + shift, rounded half away from zero and saturated for integers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/kernels/image/normalize_row.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct CropMirrorNormalizeOptions {
  /// The window, in input pixels: depth, height, width. It may reach outside the input: those places get
  /// fill_values. Depth is 1 from 0 for images.
  std::array<int64_t, 3> anchor{};
  std::array<int64_t, 3> shape{};
  bool mirror = false;  // along the width
  NormalizeConstants constants;
  /// Not normalised; one for all channels, or one a channel (padded channels get the entry of their index,
  /// else 0).
  std::span<const float> fill_values;
  /// Channels of the output; >= those of the input. The surplus is filled like places outside the input.
  int out_channels = 0;
};

/// NormalizeConstants from the operator's arguments. mean and std hold one entry or one a channel; the longer
/// of both must be 1 or `channels`. invalid_argument otherwise, or when there are more than
/// kMaxNormalizedChannels.
Result<NormalizeConstants> make_normalize_constants(std::span<const float> mean, std::span<const float> std,
                                                    float scale, float shift, int channels);

/// Layouts: any of "HWC", "CHW", "DHWC", "CDHW", and these behind "F" (frames are looped over), for input and
/// output each for itself; both with or without F. in: any type; out: float, float16, uint8, int8.
/// invalid_argument when shapes, layouts or types do not fit.
Status crop_mirror_normalize(const tensor::TensorView& in, const CropMirrorNormalizeOptions& options,
                             const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
