// Crops, mirrors, normalises, converts and transposes in one pass, like DALI's operator of that name: out =
// scale * (in - mean) / std + shift; integers round halves away from zero and saturate.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/kernels/pixels/normalize_row.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct CropMirrorNormalizeOptions {
  /// The window, in input pixels: depth, height, width. It may extend outside the input; those places get
  /// `fill`. For images the depth is 1, starting at 0.
  std::array<int64_t, 3> anchor{};
  std::array<int64_t, 3> shape{};
  bool mirror = false;  // along the width
  NormalizeConstants constants;
  FillValues fill;  // not normalised
  /// Channels of the output, at least those of the input. Additional channels are filled like places outside
  /// the input.
  int out_channels = 0;
};

/// Makes NormalizeConstants from the operator's arguments. mean and std have one entry or one per channel;
/// the longer of the two must have 1 or `channels`. Otherwise, and for more than kMaxNormalizedChannels,
/// invalid_argument.
Result<NormalizeConstants> make_normalize_constants(std::span<const float> mean, std::span<const float> std,
                                                    float scale, float shift, int channels);

/// Layouts: any of "HWC", "CHW", "DHWC", "CDHW", or these with "F" in front (frames are iterated),
/// independently for input and output, but F on both or neither. in: any type; out: float, float16, uint8,
/// int8. invalid_argument if shapes, layouts or types do not fit.
Status crop_mirror_normalize(const tensor::TensorView& in, const CropMirrorNormalizeOptions& options,
                             const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
