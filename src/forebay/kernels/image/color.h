// Colour operations: affine transforms of RGB, brightness and contrast, and conversions between colour
// spaces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/kernels/linear_algebra/matrix3.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// out[i] = sum_j matrix[i][j] * in[j] + offset[i].
struct ColorTransform {
  Matrix3<float> matrix{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<float, 3> offset{};
};

struct ColorTwist {
  float hue = 0;  // in degrees
  float saturation = 1;
  float value = 1;
  float brightness = 1;
  float contrast = 1;
};

/// DALI's linear approximation in YIQ. `in_dtype` determines the centre of contrast (128 for integers, 0.5
/// for floats).
ColorTransform make_color_transform(const ColorTwist& twist, tensor::DType in_dtype);

/// The last axis must have 3 channels. Any integer or float types; integers round halves away from zero and
/// saturate. `in` and `out` may be the same memory if their types are equal.
Status transform_colors(const tensor::TensorView& in, const ColorTransform& transform,
                        const tensor::MutableTensorView& out);

struct BrightnessContrast {
  float brightness = 1;
  float brightness_shift = 0;
  float contrast = 1;
  std::optional<float> contrast_center;  // default: half of the input's range
};

/// out = shift * R + brightness * (centre + contrast * (in - centre)), where R is the maximum of the output's
/// type (1 for floats). Any shape.
Status adjust_brightness_contrast(const tensor::TensorView& in, const BrightnessContrast& adjustment,
                                  const tensor::MutableTensorView& out);

enum class ColorSpace : uint8_t { kRgb, kBgr, kGray, kYCbCr };

int channels_of(ColorSpace space);

/// YCbCr is ITU-R BT.601 with head and foot room (Y 16..235); grey is full range (0.299 R + 0.587 G + 0.114
/// B), as in DALI. uint8; the last axis holds the channels.
Status convert_color_space(const tensor::TensorView& in, ColorSpace from, ColorSpace to,
                           const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
