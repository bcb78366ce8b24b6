#include "forebay/kernels/functions/fast_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/functions/fast_functions.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "forebay/kernels/activation/functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kTrigonometryTop = 39000.0F;  // the limit of Highway's sine and cosine

HWY_INLINE V keep_nan(V value, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

/// `value` for positive numbers, -inf for 0, NaN below 0, inf for inf.
HWY_INLINE V log_ends(D d, V x, V value) {
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const V inf = hn::Set(d, kInfinity);
  V result = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), nan, value);
  result = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(inf), result);
  return keep_nan(hn::IfThenElse(hn::Eq(x, inf), inf, result), x);
}

HWY_INLINE V clipped(D d, V x, float low, float high) {
  return keep_nan(hn::Min(hn::Max(x, hn::Set(d, low)), hn::Set(d, high)), x);
}

HWY_INLINE V smooth_l1_of(D d, V x, float s) {
  const V magnitude = hn::Abs(x);
  const V square = hn::Mul(hn::Mul(hn::Set(d, 0.5F * s), x), x);
  const V linear = hn::Sub(magnitude, hn::Set(d, 0.5F / s));
  return hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 1.0F / s)), square, linear);
}

/// The tail after the last whole vector also goes through a vector: an element's bits do not depend on its
/// position.
template <class F>
HWY_INLINE void map(const float* in, int64_t count, float* out, F&& function) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(function(d, hn::LoadU(d, in + i)), d, out + i);
  }
  if (i < count) {
    HWY_ALIGN float rest[hn::MaxLanes(D())] = {};
    std::copy(in + i, in + count, rest);
    hn::Store(function(d, hn::Load(d, rest)), d, rest);
    std::copy(rest, rest + (count - i), out + i);
  }
}

/// Highway's sine or cosine, or the C library's if an argument is beyond Highway's range.
template <class Fast, class Exact>
HWY_INLINE void map_trigonometric(const float* in, int64_t count, float* out, Fast&& fast, Exact&& exact) {
  constexpr int64_t kBlock = 256;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t length = std::min(kBlock, count - first);
    const float* const block = in + first;
    const bool is_near =
        std::all_of(block, block + length, [](float x) { return std::abs(x) <= kTrigonometryTop; });
    if (is_near) {
      map(block, length, out + first, fast);
    } else {
      std::transform(block, block + length, out + first, exact);
    }
  }
}

bool apply_algebraic(UnaryFunction function, const FunctionParameters& parameters, const float* in,
                     int64_t count, float* out) {
  const auto first = static_cast<float>(parameters.first);
  const auto second = static_cast<float>(parameters.second);
  switch (function) {
    case UnaryFunction::kSqrt:
      map(in, count, out, [](D, V x) { return hn::Sqrt(x); });
      return true;
    case UnaryFunction::kRsqrt:
      map(in, count, out, [](D d, V x) { return hn::Div(hn::Set(d, 1.0F), hn::Sqrt(x)); });
      return true;
    case UnaryFunction::kRelu:
      map(in, count, out, [](D d, V x) { return keep_nan(hn::Max(x, hn::Zero(d)), x); });
      return true;
    case UnaryFunction::kSquare:
      map(in, count, out, [](D, V x) { return hn::Mul(x, x); });
      return true;
    case UnaryFunction::kReciprocal:
      map(in, count, out, [](D d, V x) { return hn::Div(hn::Set(d, 1.0F), x); });
      return true;
    case UnaryFunction::kSoftsign:
      map(in, count, out, [](D d, V x) { return hn::Div(x, hn::Add(hn::Set(d, 1.0F), hn::Abs(x))); });
      return true;
    case UnaryFunction::kClip:
      map(in, count, out, [=](D d, V x) { return clipped(d, x, first, second); });
      return true;
    case UnaryFunction::kHardSigmoid:
      map(in, count, out, [=](D d, V x) {
        const V line = hn::Add(hn::Mul(hn::Set(d, first), x), hn::Set(d, second));
        return clipped(d, line, 0.0F, 1.0F);
      });
      return true;
    case UnaryFunction::kSmoothL1:
      map(in, count, out, [=](D d, V x) { return smooth_l1_of(d, x, first * first); });
      return true;
    default:
      return false;
  }
}

bool apply_transcendental(UnaryFunction function, const float* in, int64_t count, float* out) {
  switch (function) {
    case UnaryFunction::kExp:
      map(in, count, out, [](D d, V x) { return exp_of(d, x); });
      return true;
    case UnaryFunction::kExpm1:
      map(in, count, out, [](D d, V x) { return expm1_of(d, x); });
      return true;
    case UnaryFunction::kLog:
      map(in, count, out, [](D d, V x) { return log_of(d, x); });
      return true;
    case UnaryFunction::kLog1p:
      map(in, count, out, [](D d, V x) { return log1p_of(d, x); });
      return true;
    case UnaryFunction::kLog2:
      map(in, count, out, [](D d, V x) { return log_ends(d, x, hn::Log2(d, x)); });
      return true;
    case UnaryFunction::kLog10:
      map(in, count, out, [](D d, V x) { return log_ends(d, x, hn::Log10(d, x)); });
      return true;
    case UnaryFunction::kTanh:
      map(in, count, out, [](D d, V x) { return tanh_of(d, x); });
      return true;
    case UnaryFunction::kSigmoid:
      map(in, count, out, [](D d, V x) { return sigmoid_of(d, x); });
      return true;
    case UnaryFunction::kSin:
      map_trigonometric(
          in, count, out, [](D d, V x) { return hn::Sin(d, x); }, [](float x) { return std::sin(x); });
      return true;
    case UnaryFunction::kCos:
      map_trigonometric(
          in, count, out, [](D d, V x) { return hn::Cos(d, x); }, [](float x) { return std::cos(x); });
      return true;
    default:
      return false;
  }
}

bool apply_fast(UnaryFunction function, const FunctionParameters& parameters, const float* in, int64_t count,
                float* out) {
  return apply_algebraic(function, parameters, in, count, out) ||
         apply_transcendental(function, in, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(apply_fast);

bool apply_fast(UnaryFunction function, const FunctionParameters& parameters, const float* in, int64_t count,
                float* out) {
  return HWY_DYNAMIC_DISPATCH(apply_fast)(function, parameters, in, count, out);
}

}  // namespace forebay::kernels
#endif
