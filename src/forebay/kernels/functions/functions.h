// Elementwise functions of one number, as in MXNet: the result has the operand's type.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

enum class UnaryFunction : uint8_t {
  // With a fast version for float.
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLog2,
  kLog10,
  kTanh,
  kSigmoid,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kRelu,
  kSquare,
  kReciprocal,
  kSoftsign,
  kClip,         // to [first, second]
  kHardSigmoid,  // clip(first * x + second, 0, 1)
  kSmoothL1,     // s = first^2: s x^2 / 2 where |x| < 1 / s, else |x| - 1 / (2 s)
  // From the C library.
  kCbrt,
  kRcbrt,
  kTan,
  kArcsin,
  kArccos,
  kArctan,
  kSinh,
  kCosh,
  kArcsinh,
  kArccosh,
  kArctanh,
  kErf,
  kErfinv,
  kGamma,
  kGammaln,
  kDigamma,
  // Rounding and tests.
  kRound,  // halves round away from zero
  kRint,   // halves round down, as in MXNet
  kTrunc,
  kFloor,
  kCeil,
  kSign,
  kDegrees,
  kRadians,
  kLogicalNot,
  kIsNan,
  kIsInfinite,
  kIsFinite,
  kReplaceNan,  // replaces it with `first`
};
inline constexpr int kFunctionCount = static_cast<int>(UnaryFunction::kReplaceNan) + 1;

/// MXNet's names: "exp", "hard_sigmoid", ...; not_found for others.
Result<UnaryFunction> function_of(std::string_view name);
std::string_view name_of(UnaryFunction function);

struct FunctionParameters {
  double first = 0;
  double second = 0;
};

/// out[i] = function(in[i]) for `count` elements of any type but bool; `out` may be `in`. float16 is computed
/// in float. Functions that leave the integers are computed in double for integer types, and the result is
/// truncated. Within 4 ulp of the C library for float (5 for tanh and sigmoid); everything that is not a
/// transcendental function is exact.
void apply_function(UnaryFunction function, const FunctionParameters& parameters, tensor::DType dtype,
                    const void* in, int64_t count, void* out);

}  // namespace forebay::kernels
