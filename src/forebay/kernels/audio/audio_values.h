// Samples of sound as numbers of several types. Full scale is 1 of floating numbers and the largest of signed
// integers, whose least is not used; of unsigned ones 0 is -1 and the largest is 1: the rule of DALI's
// `audio_resample`.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "forebay/kernels/generic/convert.h"

namespace forebay::kernels {

/// A sample as a floating number.
template <class In>
inline float audio_as_float(In value) {
  if constexpr (std::is_same_v<In, float>) {
    return value;
  } else {
    constexpr double kLargest = std::numeric_limits<In>::max();
    if constexpr (std::is_signed_v<In>) {
      return static_cast<float>(value) * static_cast<float>(1 / kLargest);
    } else {
      return static_cast<float>(static_cast<double>(value) * (2 / kLargest) - 1);
    }
  }
}

/// The other way: rounded, halves away from zero, and saturated; NaN gives 0.
template <class Out>
inline Out audio_from_float(float value) {
  if constexpr (std::is_same_v<Out, float>) {
    return value;
  } else {
    constexpr auto kLargest = static_cast<float>(std::numeric_limits<Out>::max());
    if constexpr (std::is_signed_v<Out>) {
      return convert_saturated<Out>(value * kLargest);
    } else {
      return convert_saturated<Out>((value + 1) * (kLargest * 0.5f));
    }
  }
}

}  // namespace forebay::kernels
