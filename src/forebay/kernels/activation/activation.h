// Transcendental functions and activations over dense arrays, vectorised for float.
//
// float: the same bits on every target and for any split of the array. Largest errors over all finite floats,
// in units in the last place of the result: exp, log 1; log1p 1.5; expm1, softrelu 2; sigmoid 2.5; tanh 3.
// The polynomials are minimax fits on the usual reduced ranges (Muller, Elementary Functions, 2016, chapters
// 3 and 11). double: the C library's functions.
//
// NaN gives NaN; infinities and subnormal numbers are handled according to IEEE 754.
#pragma once

#include <cstdint>

namespace forebay::kernels {

enum class Function : uint8_t {
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kRelu,
  kSigmoid,
  kTanh,
  kSoftrelu,  // log(1 + exp(x))
  kSoftsign,  // x / (1 + |x|)
};

/// out[i] = function(in[i]). `out` may be `in`.
void evaluate(Function function, const float* in, int64_t count, float* out);
void evaluate(Function function, const double* in, int64_t count, double* out);

/// out[i] = gradient[i] * function'(x[i]), where output[i] = function(x[i]). For kExp, and for kRelu and all
/// after it. `out` may be `gradient` or `output`.
void multiply_by_derivative(Function function, const float* gradient, const float* output, int64_t count,
                            float* out);
void multiply_by_derivative(Function function, const double* gradient, const double* output, int64_t count,
                            double* out);

}  // namespace forebay::kernels
