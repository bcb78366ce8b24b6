#include "forebay/kernels/functions/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "forebay/kernels/functions/fast_functions.h"
#include "forebay/kernels/functions/special_functions.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Float16;

constexpr std::array<std::string_view, kFunctionCount> kNames = {
    "exp",    "expm1",        "log",       "log1p",       "log2",    "log10",   "tanh",       "sigmoid",
    "sqrt",   "rsqrt",        "sin",       "cos",         "relu",    "square",  "reciprocal", "softsign",
    "clip",   "hard_sigmoid", "smooth_l1", "cbrt",        "rcbrt",   "tan",     "arcsin",     "arccos",
    "arctan", "sinh",         "cosh",      "arcsinh",     "arccosh", "arctanh", "erf",        "erfinv",
    "gamma",  "gammaln",      "digamma",   "round",       "rint",    "trunc",   "floor",      "ceil",
    "sign",   "degrees",      "radians",   "logical_not", "isnan",   "isinf",   "isfinite",   "replace_nan"};

template <class T, class F>
void each(const T* in, int64_t count, T* out, F&& function) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(function(in[i]));
  }
}

template <class T>
T sign_of(T x) {
  return static_cast<T>(T{0} < x) - static_cast<T>(x < T{0});
}

template <class T>
T sigmoid(T x) {
  const T small = std::exp(-std::abs(x));
  return (x < 0 ? small : T{1}) / (1 + small);
}

template <class T>
T smooth_l1(T x, T s) {
  const T magnitude = std::abs(x);
  return magnitude < 1 / s ? T{0.5} * s * x * x : magnitude - T{0.5} / s;
}

template <class T>
T round_halves_down(T x) {
  const T below = std::floor(x);
  const T above = std::ceil(x);
  return x - below <= above - x ? below : above;
}

template <class T>
bool apply_trigonometric(UnaryFunction function, const T* in, int64_t count, T* out) {
  switch (function) {
    case UnaryFunction::kSin:
      each(in, count, out, [](T x) { return std::sin(x); });
      return true;
    case UnaryFunction::kCos:
      each(in, count, out, [](T x) { return std::cos(x); });
      return true;
    case UnaryFunction::kTan:
      each(in, count, out, [](T x) { return std::tan(x); });
      return true;
    case UnaryFunction::kArcsin:
      each(in, count, out, [](T x) { return std::asin(x); });
      return true;
    case UnaryFunction::kArccos:
      each(in, count, out, [](T x) { return std::acos(x); });
      return true;
    case UnaryFunction::kArctan:
      each(in, count, out, [](T x) { return std::atan(x); });
      return true;
    case UnaryFunction::kSinh:
      each(in, count, out, [](T x) { return std::sinh(x); });
      return true;
    case UnaryFunction::kCosh:
      each(in, count, out, [](T x) { return std::cosh(x); });
      return true;
    case UnaryFunction::kTanh:
      each(in, count, out, [](T x) { return std::tanh(x); });
      return true;
    case UnaryFunction::kArcsinh:
      each(in, count, out, [](T x) { return std::asinh(x); });
      return true;
    case UnaryFunction::kArccosh:
      each(in, count, out, [](T x) { return std::acosh(x); });
      return true;
    case UnaryFunction::kArctanh:
      each(in, count, out, [](T x) { return std::atanh(x); });
      return true;
    default:
      return false;
  }
}

template <class T>
bool apply_exponential(UnaryFunction function, const T* in, int64_t count, T* out) {
  switch (function) {
    case UnaryFunction::kExp:
      each(in, count, out, [](T x) { return std::exp(x); });
      return true;
    case UnaryFunction::kExpm1:
      each(in, count, out, [](T x) { return std::expm1(x); });
      return true;
    case UnaryFunction::kLog:
      each(in, count, out, [](T x) { return std::log(x); });
      return true;
    case UnaryFunction::kLog1p:
      each(in, count, out, [](T x) { return std::log1p(x); });
      return true;
    case UnaryFunction::kLog2:
      each(in, count, out, [](T x) { return std::log2(x); });
      return true;
    case UnaryFunction::kLog10:
      each(in, count, out, [](T x) { return std::log10(x); });
      return true;
    case UnaryFunction::kSigmoid:
      each(in, count, out, [](T x) { return sigmoid(x); });
      return true;
    case UnaryFunction::kSqrt:
      each(in, count, out, [](T x) { return std::sqrt(x); });
      return true;
    case UnaryFunction::kRsqrt:
      each(in, count, out, [](T x) { return 1 / std::sqrt(x); });
      return true;
    case UnaryFunction::kCbrt:
      each(in, count, out, [](T x) { return std::cbrt(x); });
      return true;
    case UnaryFunction::kRcbrt:
      each(in, count, out, [](T x) { return 1 / std::cbrt(x); });
      return true;
    default:
      return false;
  }
}

template <class T>
bool apply_special(UnaryFunction function, const T* in, int64_t count, T* out) {
  switch (function) {
    case UnaryFunction::kErf:
      each(in, count, out, [](T x) { return std::erf(x); });
      return true;
    case UnaryFunction::kErfinv:
      each(in, count, out, [](T x) { return inverse_erf(static_cast<double>(x)); });
      return true;
    case UnaryFunction::kGamma:
      each(in, count, out, [](T x) { return std::tgamma(x); });
      return true;
    case UnaryFunction::kGammaln:
      each(in, count, out, [](T x) { return log_gamma(x); });
      return true;
    case UnaryFunction::kDigamma:
      each(in, count, out, [](T x) { return digamma(static_cast<double>(x)); });
      return true;
    default:
      return false;
  }
}

template <class T>
void apply_plain(UnaryFunction function, const FunctionParameters& parameters, const T* in, int64_t count,
                 T* out) {
  const auto first = static_cast<T>(parameters.first);
  const auto second = static_cast<T>(parameters.second);
  constexpr T kDegree = static_cast<T>(std::numbers::pi / 180);
  constexpr T kAngle = static_cast<T>(180 / std::numbers::pi);
  switch (function) {
    case UnaryFunction::kReciprocal:
      return each(in, count, out, [](T x) { return 1 / x; });
    case UnaryFunction::kSoftsign:
      return each(in, count, out, [](T x) { return x / (1 + std::abs(x)); });
    case UnaryFunction::kHardSigmoid:
      return each(in, count, out, [=](T x) { return std::clamp(first * x + second, T{0}, T{1}); });
    case UnaryFunction::kSmoothL1:
      return each(in, count, out, [=](T x) { return smooth_l1(x, first * first); });
    case UnaryFunction::kRound:
      return each(in, count, out, [](T x) { return std::round(x); });
    case UnaryFunction::kRint:
      return each(in, count, out, [](T x) { return round_halves_down(x); });
    case UnaryFunction::kTrunc:
      return each(in, count, out, [](T x) { return std::trunc(x); });
    case UnaryFunction::kFloor:
      return each(in, count, out, [](T x) { return std::floor(x); });
    case UnaryFunction::kCeil:
      return each(in, count, out, [](T x) { return std::ceil(x); });
    case UnaryFunction::kDegrees:
      return each(in, count, out, [](T x) { return x * kAngle; });
    case UnaryFunction::kRadians:
      return each(in, count, out, [](T x) { return x * kDegree; });
    case UnaryFunction::kIsNan:
      return each(in, count, out, [](T x) { return static_cast<T>(std::isnan(x)); });
    case UnaryFunction::kIsInfinite:
      return each(in, count, out, [](T x) { return static_cast<T>(std::isinf(x)); });
    case UnaryFunction::kIsFinite:
      return each(in, count, out, [](T x) { return static_cast<T>(std::isfinite(x)); });
    case UnaryFunction::kReplaceNan:
      return each(in, count, out, [=](T x) { return std::isnan(x) ? first : x; });
    default:
      return;
  }
}

/// Functions that integers can compute in their own type; false for the others.
template <class T>
bool apply_in_type(UnaryFunction function, const FunctionParameters& parameters, const T* in, int64_t count,
                   T* out) {
  switch (function) {
    case UnaryFunction::kRelu:
      each(in, count, out, [](T x) { return x < T{0} ? T{0} : x; });
      return true;
    case UnaryFunction::kSquare:
      if constexpr (std::is_integral_v<T>) {  // wraps
        using Wide = std::conditional_t<(sizeof(T) <= 4), uint32_t, uint64_t>;
        each(in, count, out, [](T x) { return static_cast<Wide>(x) * static_cast<Wide>(x); });
      } else {
        each(in, count, out, [](T x) { return x * x; });
      }
      return true;
    case UnaryFunction::kRound:
    case UnaryFunction::kRint:
    case UnaryFunction::kTrunc:
    case UnaryFunction::kFloor:
    case UnaryFunction::kCeil:
      if constexpr (std::is_integral_v<T>) {
        each(in, count, out, [](T x) { return x; });
      }
      return std::is_integral_v<T>;
    case UnaryFunction::kSign:
      each(in, count, out, [](T x) { return sign_of(x); });
      return true;
    case UnaryFunction::kLogicalNot:
      each(in, count, out, [](T x) { return static_cast<T>(x == T{0}); });
      return true;
    case UnaryFunction::kClip: {
      const auto low = static_cast<T>(parameters.first);
      const auto high = static_cast<T>(parameters.second);
      each(in, count, out, [=](T x) { return x > high ? high : x < low ? low : x; });
      return true;
    }
    default:
      return false;
  }
}

template <class T>
void apply_floating(UnaryFunction function, const FunctionParameters& parameters, const T* in, int64_t count,
                    T* out) {
  if constexpr (std::is_same_v<T, float>) {
    if (apply_fast(function, parameters, in, count, out)) {
      return;
    }
  }
  if (!apply_in_type(function, parameters, in, count, out) && !apply_exponential(function, in, count, out) &&
      !apply_trigonometric(function, in, count, out) && !apply_special(function, in, count, out)) {
    apply_plain(function, parameters, in, count, out);
  }
}

/// Converts through blocks of another type.
template <class T, class Wide>
void apply_by_blocks(UnaryFunction function, const FunctionParameters& parameters, const T* in, int64_t count,
                     T* out) {
  constexpr int64_t kBlock = 512;
  std::array<Wide, kBlock> block;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t length = std::min(kBlock, count - first);
    std::transform(in + first, in + first + length, block.data(), [](T x) { return static_cast<Wide>(x); });
    apply_floating(function, parameters, block.data(), length, block.data());
    std::transform(block.data(), block.data() + length, out + first,
                   [](Wide x) { return static_cast<T>(x); });
  }
}

}  // namespace

Result<UnaryFunction> function_of(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    return not_found("there is no function '{}'", name);
  }
  return static_cast<UnaryFunction>(found - kNames.begin());
}

std::string_view name_of(UnaryFunction function) {
  return kNames[static_cast<size_t>(function)];
}

void apply_function(UnaryFunction function, const FunctionParameters& parameters, DType dtype, const void* in,
                    int64_t count, void* out) {
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(in);
    T* const to = static_cast<T*>(out);
    if constexpr (std::is_floating_point_v<T>) {
      apply_floating(function, parameters, from, count, to);
    } else if constexpr (std::is_same_v<T, Float16>) {
      apply_by_blocks<T, float>(function, parameters, from, count, to);
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (!apply_in_type(function, parameters, from, count, to)) {
        apply_by_blocks<T, double>(function, parameters, from, count, to);
      }
    }
  });
}

}  // namespace forebay::kernels
