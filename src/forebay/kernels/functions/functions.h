// Functions of one number, element by element, as MXNet has them: the result has the operand's type.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

enum class UnaryFunction : uint8_t {
  // With a fast path for float.
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
  // By the C library.
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
  kRound,  // halves away from zero
  kRint,   // halves down, as MXNet's
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
  kReplaceNan,  // by `first`
};
inline constexpr int kFunctionCount = static_cast<int>(UnaryFunction::kReplaceNan) + 1;

/// "exp", "hard_sigmoid"...: MXNet's names. not_found otherwise.
Result<UnaryFunction> function_of(std::string_view name);
std::string_view name_of(UnaryFunction function);

struct FunctionParameters {
  double first = 0;
  double second = 0;
};

/// out[i] = function(in[i]) for `count` elements of any type but bool; `out` may be `in`. Float16 is computed
/// in float, integers where the function leaves them in double, and the fraction of the result is cut off.
/// Close to the C library within 4 ulp for float (5 for tanh and sigmoid); what is no transcendental
/// function is exact.
void apply_function(UnaryFunction function, const FunctionParameters& parameters, tensor::DType dtype,
                    const void* in, int64_t count, void* out);

}  // namespace forebay::kernels
