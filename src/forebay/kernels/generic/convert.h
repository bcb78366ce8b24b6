// Converts one value between element types, inline for kernels: with saturation (the rules of cast.h), or
// plainly.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

/// convert_saturated() of a float to an integer of 8 or 16 bits: without branches, and without std::trunc,
/// which is a call on old targets.
template <class Out, class In>
inline Out rounded_to_small(In value) {
  constexpr In kLeast = std::numeric_limits<Out>::min();
  constexpr In kMost = std::numeric_limits<Out>::max();
  const In number = value == value ? value : In{0};
  const In raised = number < kLeast ? kLeast : number;
  const In within = raised > kMost ? kMost : raised;
  const auto whole = static_cast<int32_t>(within);
  const In rest = within - static_cast<In>(whole);  // exact
  return static_cast<Out>(whole + static_cast<int32_t>(rest >= In{0.5}) -
                          static_cast<int32_t>(rest <= In{-0.5}));
}

/// Float to integer: rounds halves away from zero and saturates; NaN gives 0. Integer to integer: saturates.
/// Float to bool: as to other integers, so what rounds to 0 is false; NaN is true. Integer to bool: != 0.
template <class Out, class In>
inline Out convert_saturated(In value) {
  if constexpr (std::is_same_v<Out, In>) {
    return value;
  } else if constexpr (std::is_same_v<In, tensor::Float16>) {
    return convert_saturated<Out>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<Out, tensor::Float16>) {
    return tensor::Float16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<Out, bool> && std::is_floating_point_v<In>) {
    return !(std::abs(value) < In{0.5});
  } else if constexpr (std::is_same_v<Out, bool>) {
    return value != In{};
  } else if constexpr (std::is_floating_point_v<Out> || std::is_same_v<In, bool>) {
    return static_cast<Out>(value);
  } else if constexpr (std::is_floating_point_v<In> && sizeof(Out) <= 2) {
    return rounded_to_small<Out>(value);
  } else if constexpr (std::is_floating_point_v<In>) {
    using Limits = std::numeric_limits<Out>;
    if (value >= static_cast<In>(Limits::max())) {
      return Limits::max();
    }
    if (value <= static_cast<In>(Limits::min())) {
      return Limits::min();
    }
    if (!(value == value)) {
      return 0;
    }
    const In whole = std::trunc(value);
    const In rest = value - whole;  // exact
    return static_cast<Out>(whole + static_cast<In>(rest >= In{0.5}) - static_cast<In>(rest <= In{-0.5}));
  } else {
    using Limits = std::numeric_limits<Out>;
    if (std::cmp_less(value, Limits::min())) {
      return Limits::min();
    }
    if (std::cmp_greater(value, Limits::max())) {
      return Limits::max();
    }
    return static_cast<Out>(value);
  }
}

/// The smallest and largest float that an integer type holds, clear of what rounding would take beyond it.
template <class T>
struct FloatRange {
  static constexpr float kLow = static_cast<float>(std::numeric_limits<T>::min());
  static constexpr float kHigh = static_cast<float>(std::numeric_limits<T>::max());
};

/// Float to an element: of integers of up to 16 bits the nearest, halves to even, saturated, and NaN is 0; of
/// others as convert_saturated().
template <class Out>
inline Out convert_to_even(float value) {
  if constexpr (std::is_integral_v<Out> && sizeof(Out) <= 2 && !std::is_same_v<Out, bool>) {
    constexpr float kShift = 12582912.0f;  // 1.5 * 2^23: what is added to it has no fraction
    float within = value < FloatRange<Out>::kHigh ? value : FloatRange<Out>::kHigh;
    within = within > FloatRange<Out>::kLow ? within : FloatRange<Out>::kLow;
    within = value == value ? within : 0.0f;
    return static_cast<Out>(static_cast<int32_t>((within + kShift) - kShift));
  } else {
    return convert_saturated<Out>(value);
  }
}

/// Converts as C++ does, float16 through float: fractions are truncated. For floats that do not fit into an
/// integer type the result depends on the machine.
template <class Out, class In>
inline Out convert_plainly(In value) {
  if constexpr (std::is_same_v<In, tensor::Float16>) {
    return convert_plainly<Out>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<Out, tensor::Float16>) {
    return tensor::Float16(static_cast<float>(value));
  } else {
    return static_cast<Out>(value);
  }
}

}  // namespace forebay::kernels
