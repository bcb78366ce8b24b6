#include "forebay/kernels/image/color.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/image/color_rows.h"
#include "forebay/memory/copy.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

/// Pairs of types whose loops are in color_rows.h.
template <class In, class Out>
inline constexpr bool kHasColorRows =
    (std::is_same_v<In, uint8_t> && (std::is_same_v<Out, uint8_t> || std::is_same_v<Out, float>)) ||
    (std::is_same_v<In, float> && std::is_same_v<Out, float>);

template <class In, class Out>
void transform_pixels(const In* in, int64_t pixels, const ColorTransform& transform, Out* out) {
  const Matrix3<float>& m = transform.matrix;
  const std::array<float, 3>& offset = transform.offset;
  if constexpr (kHasColorRows<In, Out>) {
    transform_three(in, pixels, {{{m[0], offset[0]}, {m[1], offset[1]}, {m[2], offset[2]}}}, out);
    return;
  }
  for (int64_t i = 0; i < pixels; ++i) {
    const float a = static_cast<float>(in[3 * i]);
    const float b = static_cast<float>(in[3 * i + 1]);
    const float c = static_cast<float>(in[3 * i + 2]);
    out[3 * i] = convert_saturated<Out>(m[0][0] * a + m[0][1] * b + m[0][2] * c + offset[0]);
    out[3 * i + 1] = convert_saturated<Out>(m[1][0] * a + m[1][1] * b + m[1][2] * c + offset[1]);
    out[3 * i + 2] = convert_saturated<Out>(m[2][0] * a + m[2][1] * b + m[2][2] * c + offset[2]);
  }
}

template <class F>
void visit_in_and_out(DType in, DType out, F&& function) {
  tensor::visit_dtype(in, [&](auto from) { tensor::visit_dtype(out, [&](auto to) { function(from, to); }); });
}

// Maximum and centre of a type's range; 1 and 0.5 for floats.
struct Range {
  float top = 1;
  float center = 0.5f;
};

Range range_of(DType dtype) {
  Range range;
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      range.top = static_cast<float>(std::numeric_limits<T>::max());
      range.center = std::ldexp(1.0f, static_cast<int>(8 * sizeof(T)) - (std::is_signed_v<T> ? 2 : 1));
    }
  });
  return range;
}

// Rows give R, G, B or Y, Cb, Cr; offsets are those of the result.
constexpr ColorTransform kRgbToYCbCr{{{{0.25678824f, 0.50412941f, 0.09790588f},
                                       {-0.14822290f, -0.29099279f, 0.43921569f},
                                       {0.43921569f, -0.36778831f, -0.07142737f}}},
                                     {16, 128, 128}};
constexpr float kLuma = 1.16438356f;  // 255 / 219
constexpr ColorTransform kYCbCrToRgb{
    {{{kLuma, 0, 1.59602679f}, {kLuma, -0.39176229f, -0.81296765f}, {kLuma, 2.01723214f, 0}}},
    {-kLuma * 16 - 1.59602679f * 128, -kLuma * 16 + (0.39176229f + 0.81296765f) * 128,
     -kLuma * 16 - 2.01723214f * 128}};

void swap_columns(ColorTransform* transform) {
  for (auto& row : transform->matrix) {
    std::swap(row[0], row[2]);
  }
}

void swap_rows(ColorTransform* transform) {
  std::swap(transform->matrix[0], transform->matrix[2]);
  std::swap(transform->offset[0], transform->offset[2]);
}

// Converts between YCbCr and another colour space of three channels.
ColorTransform transform_between(ColorSpace from, ColorSpace to) {
  ColorTransform transform;
  if (from == ColorSpace::kYCbCr) {
    transform = kYCbCrToRgb;
    if (to == ColorSpace::kBgr) {
      swap_rows(&transform);
    }
  } else {
    transform = kRgbToYCbCr;
    if (from == ColorSpace::kBgr) {
      swap_columns(&transform);
    }
  }
  return transform;
}

void to_gray(const uint8_t* in, int64_t pixels, ColorSpace from, uint8_t* out) {
  std::array<float, 3> weights{0.299f, 0.587f, 0.114f};
  float offset = 0;
  if (from == ColorSpace::kBgr) {
    std::swap(weights[0], weights[2]);
  } else if (from == ColorSpace::kYCbCr) {
    weights = {kLuma, 0, 0};
    offset = -kLuma * 16;
  }
  mix_three(in, pixels, {weights, offset}, out);
}

void from_gray(const uint8_t* in, int64_t pixels, ColorSpace to, uint8_t* out) {
  for (int64_t i = 0; i < pixels; ++i) {
    uint8_t* pixel = out + 3 * i;
    if (to == ColorSpace::kYCbCr) {
      pixel[0] = convert_saturated<uint8_t>(static_cast<float>(in[i]) / kLuma + 16);
      pixel[1] = 128;
      pixel[2] = 128;
    } else {
      pixel[0] = in[i];
      pixel[1] = in[i];
      pixel[2] = in[i];
    }
  }
}

}  // namespace

ColorTransform make_color_transform(const ColorTwist& twist, DType in_dtype) {
  const Matrix3<float> rgb_to_yiq{
      {{0.299f, 0.587f, 0.114f}, {0.596f, -0.274f, -0.321f}, {0.211f, -0.523f, 0.311f}}};
  const Matrix3<float> yiq_to_rgb =
      *inverse_of(rgb_to_yiq);  // as DALI does; the customary rounded matrix is off by 1e-3
  const float angle = twist.hue * std::numbers::pi_v<float> / 180;
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  const Matrix3<float> hue{{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
  const Matrix3<float> saturation{{{1, 0, 0}, {0, twist.saturation, 0}, {0, 0, twist.saturation}}};
  ColorTransform transform;
  transform.matrix = product(product(yiq_to_rgb, product(hue, saturation)), rgb_to_yiq);
  const float gain = twist.brightness * twist.contrast * twist.value;
  for (auto& row : transform.matrix) {
    for (float& entry : row) {
      entry *= gain;
    }
  }
  const float center = tensor::is_floating(in_dtype) ? 0.5f : 128.0f;
  transform.offset.fill((center - center * twist.contrast) * twist.brightness);
  return transform;
}

Status transform_colors(const TensorView& in, const ColorTransform& transform, const MutableTensorView& out) {
  if (in.shape().rank() < 1 || in.shape().back() != 3 || !(in.shape() == out.shape())) {
    return invalid_argument("colours have 3 channels behind all other axes, not {} to {}",
                            in.shape().to_string(), out.shape().to_string());
  }
  visit_in_and_out(in.dtype(), out.dtype(), [&](auto from, auto to) {
    using In = typename decltype(from)::type;
    using Out = typename decltype(to)::type;
    transform_pixels(static_cast<const In*>(in.data), in.volume() / 3, transform,
                     static_cast<Out*>(out.data));
  });
  return ok_status();
}

Status adjust_brightness_contrast(const TensorView& in, const BrightnessContrast& adjustment,
                                  const MutableTensorView& out) {
  if (!(in.shape() == out.shape())) {
    return invalid_argument("brightness_contrast: {} to {}", in.shape().to_string(), out.shape().to_string());
  }
  const float center = adjustment.contrast_center.value_or(range_of(in.dtype()).center);
  const float multiplier = adjustment.brightness * adjustment.contrast;
  const float addend = adjustment.brightness_shift * range_of(out.dtype()).top +
                       adjustment.brightness * (center - adjustment.contrast * center);
  visit_in_and_out(in.dtype(), out.dtype(), [&](auto from, auto to) {
    using In = typename decltype(from)::type;
    using Out = typename decltype(to)::type;
    const In* source = static_cast<const In*>(in.data);
    Out* target = static_cast<Out*>(out.data);
    if constexpr (kHasColorRows<In, Out>) {
      scale_and_add(source, in.volume(), multiplier, addend, target);
      return;
    }
    for (int64_t i = 0; i < in.volume(); ++i) {
      target[i] = convert_saturated<Out>(static_cast<float>(source[i]) * multiplier + addend);
    }
  });
  return ok_status();
}

int channels_of(ColorSpace space) {
  return space == ColorSpace::kGray ? 1 : 3;
}

Status convert_color_space(const TensorView& in, ColorSpace from, ColorSpace to,
                           const MutableTensorView& out) {
  const int rank = in.shape().rank();
  tensor::Shape expected = in.shape();
  if (rank > 0) {
    expected[rank - 1] = channels_of(to);
  }
  if (rank < 1 || in.shape().back() != channels_of(from) || !(out.shape() == expected) ||
      in.dtype() != DType::kUint8 || out.dtype() != DType::kUint8) {
    return invalid_argument("colour space conversion: {} {} to {} {}", tensor::name_of(in.dtype()),
                            in.shape().to_string(), tensor::name_of(out.dtype()), out.shape().to_string());
  }
  const int64_t pixels = in.volume() / channels_of(from);
  if (from == to) {
    memory::copy(out.data, in.data, in.spec.size_bytes());
  } else if (to == ColorSpace::kGray) {
    to_gray(in.as<uint8_t>(), pixels, from, out.as<uint8_t>());
  } else if (from == ColorSpace::kGray) {
    from_gray(in.as<uint8_t>(), pixels, to, out.as<uint8_t>());
  } else if (from != ColorSpace::kYCbCr && to != ColorSpace::kYCbCr) {
    swap_three(in.as<uint8_t>(), pixels, out.as<uint8_t>());
  } else {
    transform_pixels(in.as<uint8_t>(), pixels, transform_between(from, to), out.as<uint8_t>());
  }
  return ok_status();
}

}  // namespace forebay::kernels
