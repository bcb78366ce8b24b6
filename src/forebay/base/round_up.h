// Sizes in whole blocks.
#pragma once

#include <type_traits>

namespace forebay {

/// The least multiple of `multiple` (> 0) that is not below `value` (>= 0). Their sum must fit the type.
template <class T>
constexpr T round_up(T value, std::type_identity_t<T> multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace forebay
