// Maps types of CUDA's headers to how they cross the binary interface, for comparison with our declarations:
// enumerations as numbers of their size, structures as ours. Tests specialise it to say which structure is
// which.
#pragma once

#include <type_traits>

namespace forebay::cuda {

template <class T>
struct Passed {
  using Type = T;
};
template <class T>
  requires std::is_enum_v<T>
struct Passed<T> {
  using Type = std::make_signed_t<std::underlying_type_t<T>>;
};
template <class T>
struct Passed<const T> {
  using Type = const typename Passed<T>::Type;
};
template <class T>
  requires(!std::is_function_v<T>)
struct Passed<T*> {
  using Type = typename Passed<T>::Type*;
};
template <class Return, class... Parameters>
struct Passed<Return (*)(Parameters...)> {
  using Type = typename Passed<Return>::Type (*)(typename Passed<Parameters>::Type...);
};

// If a newer header has redefined a symbol of our list as another one, the two names differ.
constexpr bool are_equal(const char* a, const char* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}
#define FOREBAY_TEXT(symbol) #symbol
#define FOREBAY_EXPANDED_TEXT(symbol) FOREBAY_TEXT(symbol)

}  // namespace forebay::cuda
