// Rounding sizes up to whole blocks.
#pragma once

#include <type_traits>

namespace forebay {

/// The smallest multiple of `multiple` (> 0) that is at least `value` (>= 0). Their sum must fit the type.
template <class T>
constexpr T round_up(T value, std::type_identity_t<T> multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace forebay
