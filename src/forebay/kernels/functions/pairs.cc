#include "forebay/kernels/functions/pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace forebay::kernels {
namespace {

using tensor::Float16;

constexpr std::array<std::string_view, 5> kPairNames = {"logical_and", "logical_or", "logical_xor", "modulo",
                                                        "hypot"};

/// The type that T is computed in.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

template <class T>
T modulo(T a, T b) {
  if (b == 0) {
    return 0;
  }
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  } else if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      return 0;
    }
    const auto rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  } else {
    return static_cast<T>(a % b);
  }
}

template <class T, class F>
void each(const T* a, int a_step, const T* b, int b_step, int64_t count, T* out, F&& function) {
  using C = Computed<T>;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(
        static_cast<C>(function(static_cast<C>(a[i * a_step]), static_cast<C>(b[i * b_step]))));
  }
}

template <class T>
void apply(PairFunction function, const T* a, int a_step, const T* b, int b_step, int64_t count, T* out) {
  using C = Computed<T>;
  switch (function) {
    case PairFunction::kLogicalAnd:
      return each(a, a_step, b, b_step, count, out, [](C x, C y) { return x != 0 && y != 0; });
    case PairFunction::kLogicalOr:
      return each(a, a_step, b, b_step, count, out, [](C x, C y) { return x != 0 || y != 0; });
    case PairFunction::kLogicalXor:
      return each(a, a_step, b, b_step, count, out, [](C x, C y) { return (x != 0) != (y != 0); });
    case PairFunction::kModulo:
      return each(a, a_step, b, b_step, count, out, [](C x, C y) { return modulo(x, y); });
    case PairFunction::kHypot:
      return each(a, a_step, b, b_step, count, out, [](C x, C y) { return std::hypot(x, y); });
  }
}

}  // namespace

Result<PairFunction> pair_function_of(std::string_view name) {
  const auto* const found = std::ranges::find(kPairNames, name);
  if (found == kPairNames.end()) {
    return not_found("there is no function '{}'", name);
  }
  return static_cast<PairFunction>(found - kPairNames.begin());
}

std::string_view name_of(PairFunction function) {
  return kPairNames[static_cast<size_t>(function)];
}

void apply_pairs(PairFunction function, tensor::DType dtype, const void* a, int a_step, const void* b,
                 int b_step, int64_t count, void* out) {
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      apply(function, static_cast<const T*>(a), a_step, static_cast<const T*>(b), b_step, count,
            static_cast<T*>(out));
    }
  });
}

}  // namespace forebay::kernels
