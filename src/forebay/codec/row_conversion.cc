#include "forebay/codec/row_conversion.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace forebay::codec {
namespace {

using tensor::DType;

template <class T>
constexpr double kWhite =
    std::is_floating_point_v<T> ? 1.0 : static_cast<double>(std::numeric_limits<T>::max());

/// 2 to the power of the bits for integers, which BT.601's offsets are fractions of.
template <class T>
constexpr float kRange = std::is_floating_point_v<T> ? 1.0F : static_cast<float>(kWhite<T> + 1);

/// Rounds halves away from zero and clamps to the type's range.
template <class Out>
Out rounded(float value) {
  if constexpr (std::is_floating_point_v<Out>) {
    return value;
  } else {
    using Whole = std::conditional_t<(sizeof(Out) < 4), int32_t, int64_t>;  // float's 2^32 fits into int64_t
    const float positive = value > 0.0F ? value : 0.0F;                     // and NaN is 0
    const float clamped = std::min(positive, static_cast<float>(kWhite<Out>));
    const auto whole = static_cast<Whole>(clamped);
    const Whole nearest = whole + (clamped - static_cast<float>(whole) >= 0.5F ? 1 : 0);
    return static_cast<Out>(std::min(nearest, static_cast<Whole>(kWhite<Out>)));
  }
}

template <class In, class Out>
Out rescaled(In value) {
  if constexpr (std::is_same_v<In, Out>) {
    return value;
  } else if constexpr (std::is_floating_point_v<Out>) {
    return static_cast<float>(value) * static_cast<float>(1.0 / kWhite<In>);
  } else if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint16_t>) {
    return static_cast<Out>(value * 257U);
  } else if constexpr (std::is_same_v<In, uint16_t> && std::is_same_v<Out, uint8_t>) {
    return static_cast<Out>((value + 128U) / 257U);
  } else {
    return rounded<Out>(static_cast<float>(value) * static_cast<float>(1.0 / kWhite<In>) *
                        static_cast<float>(kWhite<Out>));
  }
}

template <class In, class Out>
void rescale_row(const void* in, void* out, int64_t count, int channels) {
  const auto* source = static_cast<const In*>(in);
  auto* target = static_cast<Out*>(out);
  for (int64_t i = 0; i < count * channels; ++i) {
    target[i] = rescaled<In, Out>(source[i]);
  }
}

/// One row of the BT.601 matrix, scaled from the range of In to that of Out.
template <class In, class Out>
struct Weights {
  constexpr Weights(float r, float g, float b, float offset)
      : r(r * kScale), g(g * kScale), b(b * kScale), offset(offset * kRange<Out>) {}

  Out operator()(float red, float green, float blue) const {
    return rounded<Out>(((red * r + green * g) + blue * b) + offset);
  }

  static constexpr float kScale = static_cast<float>(kWhite<Out> / kWhite<In>);
  float r, g, b, offset;
};

template <class In, class Out>
void ycbcr_row(const void* in, void* out, int64_t count, int /*channels*/) {
  constexpr Weights<In, Out> kY(0.25678823529F, 0.50412941176F, 0.09790588235F, 0.0625F);
  constexpr Weights<In, Out> kCb(-0.14822289945F, -0.29099278682F, 0.43921568627F, 0.5F);
  constexpr Weights<In, Out> kCr(0.43921568627F, -0.36778831435F, -0.07142737192F, 0.5F);
  const auto* source = static_cast<const In*>(in);
  auto* target = static_cast<Out*>(out);
  for (int64_t i = 0; i < count; ++i, source += 3, target += 3) {
    const auto red = static_cast<float>(source[0]);
    const auto green = static_cast<float>(source[1]);
    const auto blue = static_cast<float>(source[2]);
    target[0] = kY(red, green, blue);
    target[1] = kCb(red, green, blue);
    target[2] = kCr(red, green, blue);
  }
}

template <class In, class Out>
RowConversion conversion_of(bool to_ycbcr) {
  if (to_ycbcr) {
    return ycbcr_row<In, Out>;
  }
  return std::is_same_v<In, Out> ? nullptr : rescale_row<In, Out>;
}

template <class In>
RowConversion conversion_from(DType to, bool to_ycbcr) {
  switch (to) {
    case DType::kInt8:
      return conversion_of<In, int8_t>(to_ycbcr);
    case DType::kUint16:
      return conversion_of<In, uint16_t>(to_ycbcr);
    case DType::kInt16:
      return conversion_of<In, int16_t>(to_ycbcr);
    case DType::kUint32:
      return conversion_of<In, uint32_t>(to_ycbcr);
    case DType::kInt32:
      return conversion_of<In, int32_t>(to_ycbcr);
    case DType::kFloat:
      return conversion_of<In, float>(to_ycbcr);
    default:
      return conversion_of<In, uint8_t>(to_ycbcr);
  }
}

}  // namespace

RowConversion row_conversion(DType from, DType to, bool to_ycbcr) {
  switch (from) {
    case DType::kUint16:
      return conversion_from<uint16_t>(to, to_ycbcr);
    case DType::kUint32:
      return conversion_from<uint32_t>(to, to_ycbcr);
    case DType::kFloat:
      return conversion_from<float>(to, to_ycbcr);
    default:
      return conversion_from<uint8_t>(to, to_ycbcr);
  }
}

}  // namespace forebay::codec
